// The page of a nightly regression. It says how old it is, since a page that is a week old looks just like today's.
const escape = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const kStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#1d2330;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.4em .8em .4em 0;border-top:1px solid #d8dce4}
.ok{color:#17663a}.bad{color:#a3211b;font-weight:600}.wait{color:#6a7180}pre{white-space:pre-wrap;margin:.3em 0;font-size:14px}
@media (prefers-color-scheme:dark){body{color:#dfe3ea;background:#14171d}td,th{border-color:#343a46}.ok{color:#6fcf97}.bad{color:#ff8f87}.wait{color:#9aa2b1}}`;

const kAge = `const made=new Date(document.getElementById('age').dataset.made);
const show=()=>{const h=(Date.now()-made)/36e5;const text=h<1?Math.max(0,Math.round(h*60))+' minutes':h<48?Math.round(h)+' hours':Math.round(h/24)+' days';
const age=document.getElementById('age');age.textContent=text+' old'+(h>36?': the nightly regression has not run since':'');age.className=h>36?'bad':''};show();setInterval(show,60000);`;

function row(part, wanted) {
  if (!part) return `<tr><td class="wait">not run yet</td><td>${escape(wanted.title)}</td><td></td><td></td></tr>`;
  const failures = part.failures.length === 0 ? '' : `<pre>${escape(part.failures.join('\n'))}</pre>`;
  return `<tr><td class="${part.ok ? 'ok' : 'bad'}">${part.ok ? 'passed' : 'failed'}</td><td>${escape(part.title)}</td><td>${escape(part.what)}${failures}</td><td>${(part.wall_time_s / 60).toFixed(1)} min</td></tr>`;
}

/// `summary` so far, `wanted` all parts that belong to it.
export function indexPage(summary, wanted) {
  const whole = summary.parts.length === wanted.length;
  const verdict = summary.ok ? '<span class="ok">all passed</span>' : summary.parts.some((part) => !part.ok) ? '<span class="bad">something failed</span>' : whole ? '' : '<span class="wait">running, or was cut short</span>';
  const rows = wanted.map((part) => row(summary.parts.find((done) => done.name === part.name), part)).join('\n');
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Firstlight nightly</title><style>${kStyle}</style>
<h1>Nightly regression: ${verdict}</h1>
<p>Made ${escape(summary.made)}, <span id="age" data-made="${escape(summary.made)}"></span>. Commit ${escape(summary.commit)}${summary.changed ? ' with changes that are not committed' : ''}, first seed ${summary.seed}${summary.quick ? '; <b>quick: only a little of each part</b>' : ''}.</p>
<table><tr><th>verdict</th><th>part</th><th>what</th><th>time</th></tr>
${rows}
</table>
<p>Records and logs are in this folder; summary.json holds the same for programs.</p>
<script>${kAge}</script></html>
`;
}
