'use strict';
// Draws what report.html holds from the run's data: no network, no state beyond what is unfolded.
(() => {
  const run = JSON.parse(document.getElementById('run').textContent);
  const byId = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** element('td', {class: 'num'}, 'text', child...) */
  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) if (value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
    for (const child of children) if (child !== undefined && child !== null && child !== '') node.append(child);
    return node;
  }
  const badge = (verdict) => element('span', {class: `verdict ${verdict}`}, verdict);
  const bad = (verdict) => ['fail', 'aborted', 'error'].includes(verdict);
  function seconds(s) {
    if (s === 0) return '0 s';
    const magnitude = Math.abs(s);
    if (magnitude < 1e-6) return `${+(s * 1e9).toPrecision(3)} ns`;
    if (magnitude < 1e-3) return `${+(s * 1e6).toPrecision(3)} us`;
    if (magnitude < 1) return `${+(s * 1e3).toPrecision(3)} ms`;
    return `${+s.toPrecision(4)} s`;
  }
  function engineering(value, unit) {
    if (typeof value !== 'number' || !isFinite(value)) return String(value);
    const scaled = {V: [[1, ''], [1e-3, 'm'], [1e-6, 'u']], A: [[1, ''], [1e-3, 'm']], W: [[1, ''], [1e-3, 'm']], Hz: [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']], 'B/s': [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]}[unit];
    const step = scaled && scaled.find(([factor]) => Math.abs(value) >= factor);
    return step ? `${+(value / step[0]).toPrecision(5)} ${step[1]}${unit}` : `${+value.toPrecision(5)} ${unit || ''}`.trim();
  }

  // ---- steps

  /** A strip that shows where the value lies within its limits. */
  function limitBar(m) {
    if (typeof m.value !== 'number' || typeof m.min !== 'number' || typeof m.max !== 'number' || m.max <= m.min) return '';
    const share = (m.value - m.min) / (m.max - m.min);
    const x = Math.max(2, Math.min(118, 20 + 80 * share));
    const holder = element('span', {});
    holder.innerHTML = `<svg class="bar" viewBox="0 0 120 12" role="img" aria-label="${Math.round(share * 100)} % of the allowed range">` +
      `<rect x="0" y="4" width="120" height="4" fill="var(--line)"/><rect x="20" y="3" width="80" height="6" fill="var(--pass)" opacity=".35"/>` +
      `<rect x="${x - 1.5}" y="0" width="3" height="12" fill="var(--${m.verdict})"/></svg>`;
    return holder;
  }
  function measurementTable(list) {
    const rows = list.map((m) => element('tr', {},
      element('td', {}, badge(m.verdict)), element('td', {}, m.name, m.attempt > 1 ? ` (attempt ${m.attempt})` : ''),
      element('td', {class: 'num'}, m.text), element('td', {class: 'num'}, m.limit || ''), element('td', {class: 'limitcell'}, limitBar(m))));
    return element('div', {class: 'scroll'}, element('table', {},
      element('thead', {}, element('tr', {}, ...['', 'measured', 'value', 'limit', ''].map((t) => element('th', {}, t)))), element('tbody', {}, ...rows)));
  }
  function failureList(f) {
    const rows = [['what', f.message], ['class', f.class], ['part', f.part], ['likely cause', f.likely_cause], ['sent', f.sent], ['received', f.received]];
    return element('dl', {}, ...rows.filter(([, v]) => v).flatMap(([k, v]) => [element('dt', {}, k), element('dd', {class: k === 'sent' || k === 'received' ? 'mono' : undefined}, v)]));
  }
  function stepBody(step) {
    const body = element('div', {class: 'body'});
    if (step.skip_reason) body.append(element('p', {class: 'note'}, step.skip_reason));
    if (step.intermittent) body.append(element('p', {class: 'marginal'}, `passed only at attempt ${step.attempts}`));
    if (step.failure) body.append(failureList(step.failure));
    if (step.measurements.length) body.append(measurementTable(step.measurements));
    if (step.logs.length) body.append(element('div', {class: 'log mono'}, step.logs.join('\n')));
    const files = run.files.filter((f) => f.step === step.id);
    if (files.length) body.append(element('p', {}, 'files: ', ...files.flatMap((f) => [element('a', {href: f.uri}, f.name), ' '])));
    const does = [step.verb, step.with && step.with !== '{}' ? step.with : '', step.file ? `${step.file}:${step.line}` : ''].filter(Boolean).join('  ');
    if (does) body.append(element('p', {class: 'note mono'}, does));
    return body;
  }
  const open = (step) => bad(step.verdict);
  function stepNode(step, children) {
    const group = step.kind !== 'verb';
    const title = step.title || step.own_id;
    const node = element('details', {class: step.kind === 'phase' ? 'phase' : 'step', 'data-verdict': step.verdict, 'data-kind': step.kind, id: `step-${step.id}`, open: open(step)});
    node.append(element('summary', {}, badge(step.verdict), element('span', {}, title, step.kind === 'parallel' ? ' (in parallel)' : ''),
      element('span', {class: 'time'}, step.ended ? `${seconds(step.duration_s)} at ${seconds(step.t)}` : 'did not end')));
    let filled = !group && !open(step) ? false : true;
    if (filled || group) node.append(stepBody(step));
    // Bodies of steps that went well are made when someone looks.
    else node.addEventListener('toggle', () => { if (!filled) { filled = true; node.append(stepBody(step)); } });
    let section = 'steps';
    const inside = element('div', {class: group && step.kind !== 'phase' ? 'nested' : ''});
    for (const child of children(step)) {
      if (step.kind === 'phase' && child.section !== section) { section = child.section; inside.append(element('div', {class: 'section'}, section)); }
      inside.append(stepNode(child, children));
    }
    if (inside.childNodes.length) node.append(inside);
    return node;
  }
  function drawSteps() {
    const tree = byId('tree');
    const phaseOf = new Map(run.steps.filter((s) => s.kind === 'phase').map((s) => [s.own_id, s.id]));
    const held = new Map();
    for (const step of run.steps) {
      if (step.kind === 'phase') continue;
      const holder = step.parent || phaseOf.get(step.phase);
      if (!held.has(holder)) held.set(holder, []);
      held.get(holder).push(step);
    }
    const children = (step) => held.get(step.id) || [];
    for (const step of run.steps) if (step.kind === 'phase' || (step.kind === 'pseudo' && (step.measurements.length || step.failure || step.id === '@safe_state'))) tree.append(stepNode(step, children));
    const filters = byId('filters');
    const show = (kind) => {
      for (const button of filters.children) button.setAttribute('aria-pressed', String(button.dataset.kind === kind));
      for (const node of tree.querySelectorAll('details')) {
        const verdict = node.dataset.verdict;
        const hit = kind === 'all' || (kind === 'bad' && bad(verdict)) || (kind === 'marginal' && verdict === 'marginal') ||
          (kind !== 'all' && [...node.querySelectorAll('details')].some((n) => (kind === 'bad' ? bad(n.dataset.verdict) : n.dataset.verdict === kind)));
        node.hidden = !hit;
      }
    };
    const unfold = element('button', {type: 'button'}, 'unfold all');
    unfold.addEventListener('click', () => { const to = unfold.textContent === 'unfold all'; for (const n of tree.querySelectorAll('details')) n.open = to; unfold.textContent = to ? 'fold all' : 'unfold all'; });
    for (const [kind, label] of [['all', 'all'], ['bad', 'only what failed'], ['marginal', 'only marginal']]) {
      const button = element('button', {type: 'button', 'data-kind': kind}, label);
      button.addEventListener('click', () => show(kind));
      filters.append(button);
    }
    filters.append(unfold);
    show('all');
  }

  // ---- pictures

  const palette = ['#3d7fd6', '#d9772b', '#2f9e6e', '#b0489f', '#c9a227', '#5f6fd0', '#c8485a', '#3aa6b9'];
  const charts = [];
  function picture(title, caption, option, kind) {
    const holder = element('div', {class: `chart ${kind === 'tall' ? 'tall' : ''}`, role: 'img', 'aria-label': `${title}. ${caption}`});
    byId('charts').append(element('figure', {class: `card ${kind ? 'wide' : ''}`, style: 'margin:0'}, element('h3', {}, title), holder, element('figcaption', {class: 'caption'}, caption)));
    byId('pictures').hidden = false;
    charts.push({holder, option});
  }
  function axes() {
    const line = {lineStyle: {color: css('--line')}};
    return {axisLine: line, splitLine: line, axisLabel: {color: css('--dim'), hideOverlap: true}, nameTextStyle: {color: css('--dim')}};
  }
  function lines(series, yName, unit, xName) {
    return () => ({
      animation: false, color: palette, textStyle: {color: css('--ink')},
      grid: {left: 58, right: 16, top: 36, bottom: 42}, legend: {type: 'scroll', top: 0, textStyle: {color: css('--ink')}, pageTextStyle: {color: css('--dim')}},
      tooltip: {trigger: 'axis', confine: true, valueFormatter: (v) => engineering(v, unit)},
      xAxis: {type: 'value', name: xName, nameLocation: 'middle', nameGap: 26, scale: true, ...axes()},
      yAxis: {type: 'value', name: yName, scale: true, ...axes()},
      dataZoom: [{type: 'inside', filterMode: 'none'}],
      series: series.map((s) => ({type: 'line', showSymbol: s.points.length < 3, symbolSize: 5, name: s.name, data: s.points, sampling: 'lttb', lineStyle: {width: 1.6, type: s.dashed ? 'dashed' : 'solid'}, markLine: s.markLine})),
    });
  }
  function drawTimeline() {
    const rows = run.steps.filter((s) => s.kind === 'verb' && s.ended && s.attempts > 0);
    if (rows.length < 2) return;
    const phases = [...new Set(rows.map((s) => s.phase))].reverse();
    const render = (parameters, api) => {
      const start = api.coord([api.value(0), api.value(2)]);
      const end = api.coord([api.value(1), api.value(2)]);
      const height = api.size([0, 1])[1] * 0.6;
      return {type: 'rect', shape: {x: start[0], y: start[1] - height / 2, width: Math.max(1.5, end[0] - start[0]), height}, style: {fill: api.visual('color'), opacity: .85}};
    };
    picture('Timeline', 'Every step in bench time, by phase; colour is the verdict.', () => ({
      animation: false, grid: {left: 96, right: 16, top: 10, bottom: 42}, textStyle: {color: css('--ink')},
      tooltip: {confine: true, formatter: (p) => { const s = p.data.step; const box = element('div', {}, element('b', {}, s.title || s.own_id), element('br'), `${s.verdict}, ${seconds(s.duration_s)} at ${seconds(s.t)}`); return box.innerHTML; }},
      xAxis: {type: 'value', name: 'bench time (s)', nameLocation: 'middle', nameGap: 26, ...axes()},
      yAxis: {type: 'category', data: phases, ...axes()},
      dataZoom: [{type: 'inside', filterMode: 'none'}],
      series: [{type: 'custom', renderItem: render, encode: {x: [0, 1], y: 2}, data: rows.map((s) => ({value: [s.t, s.t + s.duration_s, phases.indexOf(s.phase)], itemStyle: {color: css(`--${s.verdict}`)}, step: s}))}],
    }), 'wide');
  }
  function drawRamps() {
    const ramps = run.data.filter((d) => d.kind === 'rail_ramp' && (d.value.points || []).length > 1);
    for (const direction of ['up', 'down']) {
      const list = ramps.filter((d) => (d.value.direction || 'up') === direction);
      if (!list.length) continue;
      picture(`Rail ramps, ${direction}`, 'Each from the moment it was told to move.',
        lines(list.map((d) => ({name: d.value.rail, points: d.value.points.map(([t, v]) => [(t - d.value.points[0][0]) * 1e3, v])})), 'V', 'V', 'ms'));
    }
  }
  const quantityName = {V: 'Voltages', A: 'Currents', W: 'Powers', degC: 'Temperatures', Hz: 'Frequencies', 'L/min': 'Coolant flow', 'K/W': 'Thermal resistance'};
  function drawSeries() {
    const groups = new Map();
    for (const s of run.series) {
      if (s.points.length < 2) continue;
      const key = s.unit || s.name;
      if (!groups.has(key)) groups.set(key, new Map());
      const named = groups.get(key);
      if (!named.has(s.name)) named.set(s.name, []);
      named.get(s.name).push(...s.points, [s.points[s.points.length - 1][0], null]);
    }
    for (const [unit, named] of groups) {
      const series = [...named].map(([name, points]) => ({name, points: points.sort((a, b) => a[0] - b[0])}));
      picture(quantityName[unit] || unit, 'Sampled while steps ran, in bench time.', lines(series, unit, unit, 'bench time (s)'), unit === 'degC' ? 'wide' : undefined);
    }
  }
  function drawLtssm() {
    const order = ['DISABLED', 'DETECT', 'POLLING', 'CONFIG', 'RECOVERY', 'L0'];
    for (const d of run.data.filter((x) => x.kind === 'ltssm_trace')) {
      const entries = d.value.entries || [];
      if (!entries.length) continue;
      const time = (e) => (e.t !== undefined ? e.t : e.cycle);
      const points = entries.map((e) => [time(e), Math.max(0, order.indexOf(e.state))]);
      points.push([points[points.length - 1][0] * 1.02 + 1e-9, points[points.length - 1][1]]);
      picture(`${d.value.link || 'Link'}: LTSSM`, entries.map((e) => e.state).slice(-12).join(' > '), () => ({
        animation: false, color: palette, grid: {left: 84, right: 20, top: 14, bottom: 42}, textStyle: {color: css('--ink')},
        tooltip: {trigger: 'axis', confine: true, formatter: (p) => { const e = entries[Math.min(p[0].dataIndex, entries.length - 1)]; return `${e.state}${e.cause ? `: ${e.cause}` : ''}`.replace(/</g, '&lt;'); }},
        xAxis: {type: 'value', scale: true, name: entries[0].t !== undefined ? 's' : 'cycles', nameLocation: 'middle', nameGap: 26, ...axes()},
        yAxis: {type: 'category', data: order, ...axes()}, series: [{type: 'line', step: 'end', data: points, symbolSize: 6}],
      }));
    }
  }
  function drawLanes() {
    for (const d of run.data.filter((x) => x.kind === 'lane_ber')) {
      const lanes = d.value.lanes || [];
      if (!lanes.length) continue;
      const floor = Math.min(...lanes.map((l) => l.bound).filter((b) => b > 0), 1e-3) / 10;
      picture(`${d.value.link || 'Link'}: bit error ratio per lane`, `${d.value.pattern || 'PRBS'}; solid: measured, outlined: bound at ${Math.round((d.value.confidence || 0.95) * 100)} % confidence. ` +
        lanes.map((l) => `lane ${l.lane}: ${l.errors} errors in ${Number(l.bits).toPrecision(3)} bits`).join('; '), () => ({
        animation: false, color: palette, grid: {left: 70, right: 16, top: 34, bottom: 30}, textStyle: {color: css('--ink')}, legend: {top: 0, textStyle: {color: css('--ink')}},
        tooltip: {trigger: 'axis', confine: true}, xAxis: {type: 'category', data: lanes.map((l) => `lane ${l.lane}`), ...axes()},
        yAxis: {type: 'log', min: floor, name: 'BER', ...axes(), axisLabel: {color: css('--dim'), formatter: (v) => v.toExponential(0)}},
        series: [{type: 'bar', name: 'measured', data: lanes.map((l) => (l.ber > 0 ? l.ber : null))}, {type: 'bar', name: 'bound', data: lanes.map((l) => l.bound), itemStyle: {color: 'transparent', borderColor: css('--ink'), borderType: 'dashed'}}],
      }));
    }
  }
  function drawResistance() {
    for (const d of run.data.filter((x) => x.kind === 'thermal_resistance')) {
      const zones = d.value.zones || [];
      if (!zones.length) continue;
      picture('Thermal resistance per zone', 'Rise per watt of the zone heater. One bar that stands out is a mount that does not sit.', () => ({
        animation: false, color: palette, grid: {left: 58, right: 16, top: 24, bottom: 30}, textStyle: {color: css('--ink')}, tooltip: {trigger: 'axis', confine: true, valueFormatter: (v) => engineering(v, 'K/W')},
        xAxis: {type: 'category', data: zones.map((z) => z.zone), ...axes()}, yAxis: {type: 'value', name: 'K/W', ...axes()}, series: [{type: 'bar', name: 'K/W', data: zones.map((z) => z.k_per_w), barMaxWidth: 48}],
      }));
    }
  }
  function paint() {
    for (const chart of charts) {
      if (chart.instance) chart.instance.dispose();
      chart.instance = echarts.init(chart.holder, null, {renderer: 'svg'});
      chart.instance.setOption(chart.option());
    }
  }

  // ---- bench log and parameters

  function drawBench() {
    const rows = [];
    for (const e of run.events) {
      const c = e.content;
      if (e.kind === 'firstlight.interlock') rows.push([e.t, `interlock ${c.name}`, c.event, `${c.watch || ''} ${c.value !== undefined ? engineering(c.value, c.unit) : ''} ${c.limit ? `(${c.limit})` : ''}`]);
      else if (e.kind === 'firstlight.ledger') rows.push([e.t, 'ledger', c.event, c.event === 'energise' ? c.what : c.undo || c.key || '']);
      else if (e.kind === 'firstlight.monitor' && c.event !== 'started') rows.push([e.t, `monitor ${c.name}`, c.event, c.verdict || c.subject || '']);
      else if (e.kind === 'firstlight.safe_state') rows.push([e.t, 'safe state', c.safe ? 'safe' : 'NOT SAFE', (c.verified || []).map((v) => `${v.rail} ${engineering(v.voltage, 'V')}`).join(', ')]);
    }
    const table = element('table', {}, element('thead', {}, element('tr', {}, ...['bench time', 'who', 'event', ''].map((t) => element('th', {}, t)))),
      element('tbody', {}, ...rows.map((r) => element('tr', {}, element('td', {class: 'num'}, seconds(r[0])), ...r.slice(1).map((t) => element('td', {}, t))))));
    byId('benchlog').append(rows.length ? element('div', {class: 'card scroll'}, table) : element('p', {class: 'note'}, 'Nothing was energised, and no interlock or monitor spoke.'));
  }
  function drawParameters() {
    const flat = [];
    const walk = (prefix, value) => {
      if (value !== null && typeof value === 'object') for (const [k, v] of Object.entries(value)) walk(prefix ? `${prefix}.${k}` : k, v);
      else flat.push([prefix, String(value)]);
    };
    walk('', run.parameters);
    walk('dut', run.dut);
    flat.push(['started', run.wall_start], ['ended', run.wall_end], ['command', run.command_line]);
    byId('parameters').append(element('div', {class: 'card'}, element('dl', {}, ...flat.filter(([, v]) => v).flatMap(([k, v]) => [element('dt', {}, k), element('dd', {class: 'mono'}, v)]))));
  }

  drawSteps();
  drawTimeline();
  drawRamps();
  drawSeries();
  drawLtssm();
  drawLanes();
  drawResistance();
  drawBench();
  drawParameters();
  byId('sections').append(...[['pictures', 'Pictures'], ['steps', 'Steps'], ['bench', 'Bench'], ['about', 'Run']].filter(([id]) => !byId(id).hidden).map(([id, t]) => element('a', {href: `#${id}`}, t)));
  for (const button of document.querySelectorAll('button.copyit')) button.addEventListener('click', () => {
    navigator.clipboard.writeText(button.previousElementSibling.textContent).then(() => { button.textContent = 'copied'; }, () => { button.textContent = 'select and copy'; });
  });
  for (const link of document.querySelectorAll('a.tostep')) link.addEventListener('click', () => {
    for (let node = byId(link.getAttribute('href').slice(1)); node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
  });
  paint();
  let timer = 0;
  window.addEventListener('resize', () => { clearTimeout(timer); timer = setTimeout(() => charts.forEach((c) => c.instance.resize()), 100); });
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  document.documentElement.dataset.ready = 'true';
})();
