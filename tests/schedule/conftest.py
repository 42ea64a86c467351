"""Property tests run beside other work, so no single example has a deadline."""

from hypothesis import settings

settings.register_profile("schedule", deadline=None, max_examples=60)
settings.load_profile("schedule")
