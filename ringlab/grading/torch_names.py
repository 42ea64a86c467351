"""Names of torch that an answer may use: maths on tensors, layers, optimizers.

Written by tests/source/torch_names_rule.py, which holds the rule; a test compares both
with the installed torch. Plain data, for judging a source must not import torch.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TORCH = _names(
    """
    AVG BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor Event FloatTensor Generator
    HalfTensor IntTensor LongTensor OutOfMemoryError SUM ShortTensor Size Stream SymBool SymFloat
    SymInt Tensor _foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ _foreach_add
    _foreach_add_ _foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_
    _foreach_asin _foreach_asin_ _foreach_atan _foreach_atan_ _foreach_ceil _foreach_ceil_
    _foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min _foreach_clamp_min_ _foreach_clone
    _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh _foreach_cosh_ _foreach_div
    _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ _foreach_exp
    _foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor _foreach_floor_ _foreach_frac
    _foreach_frac_ _foreach_lerp _foreach_lerp_ _foreach_lgamma _foreach_lgamma_ _foreach_log
    _foreach_log10 _foreach_log10_ _foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_
    _foreach_log_ _foreach_max _foreach_maximum _foreach_maximum_ _foreach_minimum
    _foreach_minimum_ _foreach_mm _foreach_mul _foreach_mul_ _foreach_neg _foreach_neg_
    _foreach_norm _foreach_pow _foreach_pow_ _foreach_powsum _foreach_reciprocal
    _foreach_reciprocal_ _foreach_round _foreach_round_ _foreach_rsqrt _foreach_rsqrt_
    _foreach_sigmoid _foreach_sigmoid_ _foreach_sign _foreach_sign_ _foreach_sin _foreach_sin_
    _foreach_sinh _foreach_sinh_ _foreach_sqrt _foreach_sqrt_ _foreach_sub _foreach_sub_
    _foreach_tan _foreach_tan_ _foreach_tanh _foreach_tanh_ _foreach_trunc _foreach_trunc_
    _foreach_zero_ abs abs_ absolute acos acos_ acosh acosh_ adaptive_avg_pool1d
    adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint
    affine_grid_generator alias_copy all allclose alpha_dropout alpha_dropout_ amax amin aminmax
    angle any arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan
    arctan2 arctan_ arctanh arctanh_ are_deterministic_algorithms_enabled argmax argmin argsort
    argwhere as_strided as_strided_ as_strided_copy as_strided_scatter as_tensor asarray asin
    asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d autocast
    avg_pool1d baddbmm bartlett_window batch_norm batch_norm_backward_elemt
    batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
    batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli
    bfloat16 bilinear binary_cross_entropy_with_logits bincount binomial bit bits16 bits1x8
    bits2x4 bits4x2 bits8 bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor blackman_window block_diag bmm bool broadcast_shapes
    broadcast_tensors broadcast_to bucketize can_cast cartesian_prod cat ccol_indices_copy cdist
    cdouble ceil ceil_ celu celu_ cfloat chain_matmul chalf channel_shuffle channels_last
    channels_last_3d cholesky cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp
    clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone col_indices_copy
    column_stack combinations complex complex128 complex32 complex64 concat concatenate conj
    conj_physical conj_physical_ constant_pad_nd contiguous_format conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh
    cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cross crow_indices_copy
    ctc_loss cummax cummin cumprod cumsum cumulative_trapezoid default_generator deg2rad deg2rad_
    dequantize det detach detach_ detach_copy device diag diag_embed diagflat diagonal
    diagonal_copy diagonal_scatter diff digamma dist div divide dot double dropout dropout_ dsmm
    dsplit dstack dtype e einsum embedding embedding_bag embedding_renorm_ empty empty_like
    empty_permuted empty_quantized empty_strided enable_grad eq equal erf erf_ erfc erfc_ erfinv
    exp exp2 exp2_ exp_ expand_copy expm1 expm1_ eye fake_quantize_per_channel_affine
    fake_quantize_per_tensor_affine feature_alpha_dropout feature_alpha_dropout_ feature_dropout
    feature_dropout_ fill fill_ finfo fix fix_ flatten flip fliplr flipud float float16 float32
    float4_e2m1fn_x2 float64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
    float8_e8m0fnu float_power floor floor_ floor_divide fmax fmin fmod frac frac_ frexp
    frobenius_norm from_numpy frombuffer full full_like fused_moving_avg_obs_fake_quant gather gcd
    gcd_ ge geqrf ger get_autocast_dtype get_default_device get_default_dtype get_device
    get_num_threads get_rng_state gradient greater greater_equal grid_sampler grid_sampler_2d
    grid_sampler_3d group_norm gru gru_cell gt half hamming_window hann_window hardshrink
    hash_tensor heaviside hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm
    hstack hypot i0 i0_ igamma igammac iinfo imag index_add index_copy index_fill index_put
    index_put_ index_reduce index_select indices_copy inf inference_mode initial_seed inner
    instance_norm int int1 int16 int2 int3 int32 int4 int5 int6 int64 int7 int8 int_repr inverse
    is_autocast_enabled is_complex is_conj is_distributed is_floating_point is_grad_enabled
    is_inference is_inference_mode_enabled is_neg is_nonzero is_same_size is_signed is_storage
    is_tensor isclose isfinite isin isinf isnan isneginf isposinf isreal istft kaiser_window
    kl_div kron kthvalue layer_norm layout lcm lcm_ ldexp ldexp_ le lerp less less_equal lgamma
    linspace lobpcg log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2
    logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace
    logsumexp long lstm lstm_cell lt lu lu_solve lu_unpack manual_seed margin_ranking_loss
    masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max max_pool1d
    max_pool1d_with_indices max_pool2d max_pool3d maximum mean median memory_format meshgrid min
    minimum mm mode moveaxis movedim msort mul multinomial multiply mv mvlgamma nan nan_to_num
    nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm
    native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm ne neg
    neg_ negative negative_ newaxis nextafter no_grad nonzero nonzero_static norm norm_except_dim
    normal not_equal nuclear_norm numel ones ones_like orgqr ormqr outer pairwise_distance
    pca_lowrank pdist per_channel_affine per_tensor_affine permute permute_copy pi pinverse
    pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu
    preserve_format prod promote_types put q_per_channel_axis q_per_channel_scales
    q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qr qscheme quantile
    quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm
    quantized_gru_cell quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d
    quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell quint2x4 quint4x2 quint8
    rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like randperm range ravel
    real reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_
    resize_as_sparse_ resolve_conj resolve_neg result_type rms_norm rnn_relu rnn_relu_cell
    rnn_tanh rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_ rsqrt
    rsqrt_ rsub saddmm scalar_tensor scatter scatter_add scatter_reduce searchsorted seed select
    select_copy select_scatter selu selu_ set_float32_matmul_precision set_grad_enabled
    set_num_threads set_printoptions set_rng_state sgn short sigmoid sigmoid_ sign signbit sin
    sin_ sinc sinc_ sinh sinh_ slice_copy slice_inverse slice_scatter slogdet smm softmax sort
    sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo sparse_coo_tensor
    sparse_csc_tensor sparse_csr sparse_csr_tensor split split_copy split_with_sizes
    split_with_sizes_copy spmm sqrt sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std
    std_mean stft strided sub subtract sum svd svd_lowrank swapaxes swapdims sym_float sym_int
    sym_max sym_min sym_not t t_copy take take_along_dim tan tan_ tanh tanh_ tensor tensor_split
    tensordot threshold threshold_ tile topk trace transpose transpose_copy trapezoid trapz
    triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc
    trunc_ typename uint1 uint16 uint2 uint3 uint32 uint4 uint5 uint6 uint64 uint7 uint8 unbind
    unbind_copy unflatten unfold_copy unique unique_consecutive unravel_index unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy use_deterministic_algorithms
    values_copy vander var var_mean vdot view_as_complex view_as_complex_copy view_as_real
    view_as_real_copy view_copy vmap vsplit vstack where xlogy xlogy_ zero_ zeros zeros_like
    """
)

NN = _names(
    """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss
    AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d
    AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Buffer CELU
    CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d
    ConstantPad3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
    CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d
    Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold
    FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRUCell GaussianNLLLoss GroupNorm Hardshrink
    Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d
    InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTMCell LayerNorm
    LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions LocalResponseNorm LogSigmoid
    LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d
    MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss
    MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance Parameter
    ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNNCell RNNCellBase RReLU
    ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
    ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d
    Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold Transformer TransformerDecoder
    TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss
    TripletMarginWithDistanceLoss Unflatten Unfold UninitializedBuffer UninitializedParameter
    Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d
    """
)

NN_FUNCTIONAL = _names(
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices
    adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout avg_pool1d
    avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy
    binary_cross_entropy_with_logits celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity
    cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu elu_ embedding embedding_bag
    feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool2d_with_indices
    fractional_max_pool3d fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu
    grid_sample group_norm grouped_mm gumbel_softmax hardshrink hardsigmoid hardswish hardtanh
    hardtanh_ hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss layer_norm
    leaky_relu leaky_relu_ linear linear_cross_entropy local_response_norm log_softmax logsigmoid
    lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_pool1d max_pool1d_with_indices
    max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d
    max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss
    multilabel_margin_loss multilabel_soft_margin_loss native_channel_shuffle nll_loss normalize
    one_hot pad pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu
    relu6 relu_ rms_norm rrelu rrelu_ scaled_dot_product_attention scaled_grouped_mm scaled_mm
    selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink
    softsign tanh tanhshrink threshold threshold_ triplet_margin_loss
    triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest
    """
)

NN_INIT = _names(
    """
    calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_
    orthogonal_ sparse_ trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_
    """
)

OPTIM = _names(
    """
    ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop
    Rprop SGD SparseAdam
    """
)

LINALG = _names(
    """
    cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh householder_product inv
    inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul
    matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_ex
    solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm
    """
)

SPECIAL = _names(
    """
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
    chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc erfcx erfinv exp2 expit
    expm1 gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
    laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp
    modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr
    ndtri polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
    shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0 xlog1py xlogy zeta
    """
)

FFT = _names(
    """
    fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn
    irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """
)
