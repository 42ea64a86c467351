"""The look of the gradebook's pages: light and dark, wide and narrow, and on paper."""

CSS = """
:root{color-scheme:light dark;--ground:#F4F6F8;--paper:#FFFFFF;--cell:#FBFCFD;--ink:#1F2933;
--muted:#52606D;--line:#C3CAD2;--soft:#E3E9F0;--lit:#FFF0B3;--link:#0B5CAD;
--good:#1E7B4F;--part:#B7791F;--bad:#B23A2E;--open:#6B3FA0;--goodbg:#E3F3EA;--partbg:#FBF0D9;
--badbg:#FBE7E4;--openbg:#EEE6F8}
@media (prefers-color-scheme:dark){:root{--ground:#12171C;--paper:#1B2229;--cell:#212A33;
--ink:#E6EBF0;--muted:#A3B1BF;--line:#3B4854;--soft:#2A3540;--lit:#4D431B;--link:#7FB8F0;
--good:#63C493;--part:#E3B057;--bad:#F08A7E;--open:#BE9BEC;--goodbg:#1B3528;--partbg:#3A2F18;
--badbg:#402320;--openbg:#33264A}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);line-height:1.5;font-size:15px;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}
main{max-width:1320px;margin:0 auto;padding:24px 20px 60px}
body.page main{max-width:1080px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:18px;margin:34px 0 10px}
a{color:var(--link)}
code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.92em}
.muted{color:var(--muted)}
.small{font-size:13px}
.card{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:14px 18px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px;margin:18px 0}
.cards .card b{display:block;font-size:26px;line-height:1.15;font-variant-numeric:tabular-nums}
.cards .card span{color:var(--muted)}
.open-card{background:var(--openbg);border-color:var(--open)}
.note{border-left:5px solid var(--part);background:var(--partbg);padding:10px 14px;
border-radius:6px;margin:14px 0}
.alarm{border:2px solid var(--open);background:var(--openbg);border-radius:10px;padding:12px 18px;
margin:18px 0}
.alarm h2{margin:0 0 6px}
.alarm ul,.plain{margin:0;padding-left:20px}
.alarm li,.plain li{overflow-wrap:anywhere}
.shield{margin:14px 0}
.shield summary{cursor:pointer;font-weight:600}
.shield ul{margin:6px 0 0;padding-left:20px}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:7px 10px;vertical-align:top;border-top:1px solid var(--line)}
th{border-top:0;white-space:nowrap;color:var(--muted);font-weight:600;font-size:13px}
td.number,th.number{text-align:right;white-space:nowrap}
td.name{overflow-wrap:anywhere}
td.message{color:var(--muted);font-size:13px;overflow-wrap:anywhere}
td.message span{display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;
overflow:hidden}
@media (min-width:641px){#rows{table-layout:fixed;min-width:900px}
#rows th{white-space:normal}
.w-who{width:13%}.w-name{width:20%}.w-points{width:9%}.w-share{width:7%}.w-answers{width:20%}
.w-notebook{width:9%}}
th button{all:unset;cursor:pointer;color:var(--muted);padding:2px 0}
th button:focus-visible,a:focus-visible,summary:focus-visible{outline:2px solid var(--link);
outline-offset:2px;border-radius:3px}
th[aria-sort] button::after{content:" ↕";opacity:.45}
th[aria-sort=ascending] button::after{content:" ↑";opacity:1}
th[aria-sort=descending] button::after{content:" ↓";opacity:1}
.tools{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:center;margin-bottom:10px}
.tools input,.tools select{font:inherit;color:var(--ink);background:var(--paper);
border:1px solid var(--line);border-radius:7px;padding:7px 10px;max-width:100%}
.tools input{flex:1 1 240px;min-width:0}
.marks{display:flex;flex-wrap:wrap;gap:4px}
.mark{display:inline-block;text-decoration:none;border-radius:6px;padding:1px 7px;font-size:13px;
white-space:nowrap;border:1px solid transparent;color:var(--ink)}
.mark b{font-weight:700;margin-right:3px}
.passed{background:var(--goodbg)}.passed b{color:var(--good)}
.partly{background:var(--partbg)}.partly b{color:var(--part)}
.failed{background:var(--badbg)}.failed b{color:var(--bad)}
.could{background:var(--openbg);border-color:var(--open);font-weight:600}.could b{color:var(--open)}
.bar{display:flex;height:14px;border-radius:4px;overflow:hidden;min-width:140px;
background:var(--soft)}
.bar i{display:block;min-width:2px}
.bar .passed{background:var(--good)}.bar .partly{background:var(--part)}
.bar .failed{background:var(--bad)}
.bar .could{background:repeating-linear-gradient(45deg,var(--open) 0 4px,var(--openbg) 4px 7px)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0 0;color:var(--muted);font-size:13px}
.legend i{display:inline-block;width:12px;height:12px;border-radius:3px;vertical-align:-1px;
margin-right:5px}
.legend .bar{display:contents}
ol.mistakes{margin:0;padding:4px 18px;list-style:none}
ol.mistakes li{display:grid;grid-template-columns:54px 1fr;gap:2px 8px;padding:8px 0;
border-top:1px solid var(--line)}
ol.mistakes li:first-child{border-top:0}
ol.mistakes b{font-size:16px}
ol.mistakes p{margin:0;overflow-wrap:anywhere}
section.answer{margin:26px 0}
section.answer>header{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:baseline;margin:0 0 8px}
section.answer>header h2{margin:0;overflow-wrap:anywhere}
section.answer>header .got{margin-left:auto;font-weight:600}
.ringlab-report{max-width:none!important;overflow-wrap:anywhere}
figure.run{margin:10px 0 0;background:#FFFFFF;color:#1F2933;border:1px solid var(--line);
border-radius:8px;padding:10px;overflow-x:auto}
figure.run img{display:block;max-width:100%;height:auto}
figure.run figcaption{font-size:13px;color:#52606D;margin-top:6px}
.rule{margin-top:30px}
.rule summary{cursor:pointer;font-weight:600}
@media (max-width:640px){main{padding:16px 12px 40px}
h1{font-size:22px}
.cards{grid-template-columns:1fr 1fr;gap:8px}
.rows thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.rows,.rows tbody{display:block}
.rows tr{display:block;border-top:1px solid var(--line);padding:10px 0}
.rows tbody tr:first-child{border-top:0}
.rows td{display:block;border:0;padding:2px 0;text-align:left!important;min-width:0}
.rows td:empty{display:none}
.rows td[data-label]:not([data-label=""])::before{content:attr(data-label) ": ";
color:var(--muted);font-size:13px}
.rows td.name{font-weight:600}
.rows td.bars::before{content:none!important}
.rows td.number{display:inline-block;margin-right:18px}
.rows td.bars{padding-top:6px}
ol.mistakes li{grid-template-columns:40px 1fr}
figure.run img{max-width:none;width:720px}}
.rows tr[hidden]{display:none}
@media print{:root{color-scheme:light;--ground:#FFF;--paper:#FFF;--cell:#FFF;--ink:#000;
--muted:#333;--line:#999;--soft:#EEE;--lit:#EEE;--link:#000;--good:#1E7B4F;--part:#B7791F;
--bad:#B23A2E;--open:#6B3FA0;--goodbg:#FFF;--partbg:#FFF;--badbg:#FFF;--openbg:#FFF}
body{font-size:11px}main{max-width:none;padding:0}.tools{display:none}
a{text-decoration:none}tr,li,figure,.card{break-inside:avoid}h2{break-after:avoid}
.mark{border-color:#999}.bar i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
th[aria-sort] button::after{content:""!important}}
"""

# Sorts by the column that is clicked, and hides the rows that don't hold what is looked for.
SCRIPT = """
(function(){
var table=document.getElementById('rows');if(!table)return;
var body=table.tBodies[0],rows=Array.from(body.rows);
var text=document.getElementById('filter'),verdict=document.getElementById('verdict');
var shown=document.getElementById('shown'),template=shown.dataset.text;
function key(row,i){var cell=row.cells[i];
return cell.dataset.sort!==undefined?cell.dataset.sort:cell.textContent.trim().toLowerCase()}
function compare(a,b,numeric){
if(numeric){var x=a===''?-Infinity:+a,y=b===''?-Infinity:+b;return x-y}
return a.localeCompare(b,undefined,{numeric:true})}
Array.from(table.tHead.rows[0].cells).forEach(function(head,i){
var button=head.querySelector('button');if(!button)return;
button.addEventListener('click',function(){
var down=head.getAttribute('aria-sort')==='ascending';
Array.from(table.tHead.rows[0].cells).forEach(function(other){
if(other.hasAttribute('aria-sort'))other.setAttribute('aria-sort','none')});
head.setAttribute('aria-sort',down?'descending':'ascending');
var numeric=head.classList.contains('number'),sign=down?-1:1;
rows.map(function(row){return [key(row,i),row]})
.sort(function(a,b){return sign*compare(a[0],b[0],numeric)})
.forEach(function(pair){body.appendChild(pair[1])})})});
function filter(){var wanted=text.value.trim().toLowerCase().split(/\\s+/).filter(Boolean);
var kind=verdict.value,count=0;
rows.forEach(function(row){
var content=row.textContent.toLowerCase();
var fits=wanted.every(function(word){return content.indexOf(word)>=0})&&
(!kind||(' '+row.dataset.verdicts+' ').indexOf(' '+kind+' ')>=0);
row.hidden=!fits;count+=fits?1:0});
shown.textContent=template.replace('{count}',count)}
text.addEventListener('input',filter);verdict.addEventListener('change',filter);filter();
})();
"""
