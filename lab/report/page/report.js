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
  const stepsById = new Map(run.steps.map((s) => [s.id, s]));
  const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  function grouped(list, key) {
    const groups = new Map();
    for (const item of list) {
      if (!groups.has(key(item))) groups.set(key(item), []);
      groups.get(key(item)).push(item);
    }
    return groups;
  }
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
  function pairs(rows, mono) {
    return element('dl', {}, ...rows.filter(([, v]) => v !== undefined && v !== '').flatMap(([k, v]) => [element('dt', {}, k), element('dd', {class: mono.includes(k) ? 'mono' : undefined}, v)]));
  }
  const failureList = (f) => pairs([['what', f.message], ['part', f.part], ['likely cause', f.likely_cause], ['class', f.class ? `${f.class}, ${f.symptom || ''}` : ''], ['sent', f.sent], ['received', f.received]], ['sent', 'received']);
  /** Structured data of any kind, flattened to "lanes.0.ber: 0". */
  function flattened(value) {
    const flat = [];
    const walk = (prefix, v) => {
      if (v !== null && typeof v === 'object') for (const [k, inner] of Object.entries(v)) walk(prefix ? `${prefix}.${k}` : k, inner);
      else flat.push([prefix, String(v)]);
    };
    walk('', value);
    return flat;
  }
  /** A list of like objects is a table; what has long lists of points is a picture. */
  function dataBody(d) {
    const value = d.value;
    if (value === null || typeof value !== 'object') return pairs([[d.kind, String(value)]], []);
    const flat = Object.entries(value).filter(([, v]) => !Array.isArray(v));
    const parts = [element('dl', {}, element('dt', {}, 'data'), element('dd', {}, d.kind.replace(/_/g, ' '))), pairs(flat.flatMap(([k, v]) => (v !== null && typeof v === 'object' ? flattened({[k]: v}) : [[k, String(v)]])), [])];
    for (const [, list] of Object.entries(value).filter(([, v]) => Array.isArray(v) && v.length && v.length <= 64 && v.every((x) => x && typeof x === 'object' && !Array.isArray(x)))) {
      const isLabel = (c) => Number(c === 'lane' || typeof list[0][c] === 'string');
      const columns = [...new Set(list.flatMap((x) => Object.keys(x)))].sort((a, b) => isLabel(b) - isLabel(a));
      parts.push(element('div', {class: 'scroll', tabindex: '0'}, element('table', {}, element('thead', {}, element('tr', {}, ...columns.map((c) => element('th', {}, c)))),
        element('tbody', {}, ...list.map((x) => element('tr', {}, ...columns.map((c) => element('td', {class: 'num'}, x[c] === undefined ? '' : typeof x[c] === 'number' ? +x[c].toPrecision(6) : typeof x[c] === 'object' ? JSON.stringify(x[c]) : String(x[c])))))))));
    }
    return element('div', {class: 'data'}, ...parts);
  }
  const filesOf = grouped(run.files, (f) => f.step);
  const dataOf = grouped(run.data, (d) => d.step);
  function stepBody(step, children) {
    const body = element('div', {class: 'body'});
    if (step.superseded) body.append(element('p', {class: 'note'}, 'An earlier attempt of its group; only the last one counts.'));
    if (step.skip_reason) body.append(element('p', {class: 'note'}, step.skip_reason));
    if (step.intermittent) body.append(element('p', {class: 'marginal'}, `passed only at attempt ${step.attempts}`));
    // What failed below is told there.
    if (step.failure && !children.some((c) => c.failure && c.failure.message === step.failure.message)) body.append(failureList(step.failure));
    if (step.measurements.length) body.append(measurementTable(step.measurements));
    if (step.measured) body.append(element('p', {class: 'note'}, `${step.measurements.length} of ${step.measured} measurements are shown; events.jsonl has all.`));
    if (step.logged) body.append(element('p', {class: 'note'}, `the last ${step.logs.length} of ${step.logged} log lines; events.jsonl has all`));
    if (step.logs.length) body.append(element('div', {class: 'log mono'}, step.logs.join('\n')));
    for (const d of dataOf.get(step.id) || []) body.append(dataBody(d));
    const files = filesOf.get(step.id) || [];
    if (files.length) body.append(element('p', {}, 'files: ', ...files.flatMap((f) => [f.uri.startsWith('files/') ? element('a', {href: f.uri}, f.name) : f.name, ' '])));
    const does = [step.verb, step.with, step.where].filter(Boolean).join('  ');
    if (does) body.append(element('p', {class: 'note mono'}, does));
    return body;
  }
  /** A group that the sequence gave no name, such as a for_each, is shown by its children, unless it has something to say itself. */
  function isTransparent(step, children) {
    const nameless = step.kind === 'sequential' && step.title === step.own_id && /\.(setup|steps|teardown)\[\d+\]$|^[^.]*\[\d+\]$/.test(step.own_id);
    const silent = !step.failure || children.some((c) => c.failure && c.failure.message === step.failure.message);
    return nameless && silent && step.attempts <= 1 && !step.skip_reason && children.length > 0;
  }
  function stepNode(step, childrenOf) {
    const children = childrenOf(step);
    const group = step.kind !== 'verb';
    const isFirst = run.first_failure && run.first_failure.step === step.id;
    const nameless = group && step.title === step.own_id && /\[\d+\]$/.test(step.own_id);
    const title = nameless ? `${children.length} steps${step.kind === 'parallel' ? '' : ', one after the other'}` : step.title || step.own_id;
    const isOpen = bad(step.verdict);
    const node = element('details', {class: step.kind === 'phase' || step.kind === 'pseudo' ? 'phase' : 'step', 'data-verdict': step.verdict, 'data-kind': step.kind, id: `step-${step.id}`, open: isOpen});
    const again = /#(\d+)/.exec(step.id);
    node.append(element('summary', {}, badge(step.verdict),
      element('span', {class: 'title'}, title, step.kind === 'parallel' ? ' (in parallel)' : '', again ? ` (attempt ${again[1]} of its group)` : '', isFirst ? element('span', {class: 'tag'}, 'first failure') : ''),
      element('span', {class: 'time'}, !step.ended ? 'did not end' : step.verdict === 'skip' ? '' : `${seconds(step.duration_s)} at ${seconds(step.t)}`)));
    if (isOpen || group) node.append(stepBody(step, children));
    // Bodies of steps that went well are made when someone looks.
    else node.addEventListener('toggle', () => node.append(stepBody(step, children)), {once: true});
    let section = 'steps';
    const inside = element('div', {class: step.kind === 'phase' ? '' : 'nested'});
    const add = (child) => {
      if (step.kind === 'phase' && child.section !== section) { section = child.section; inside.append(element('div', {class: 'section'}, section)); }
      if (isTransparent(child, childrenOf(child))) {
        const run_ = element('div', {class: 'foreach'});
        for (const grandchild of childrenOf(child)) run_.append(stepNode(grandchild, childrenOf));
        inside.append(run_);
      } else inside.append(stepNode(child, childrenOf));
    };
    children.forEach(add);
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
    const childrenOf = (step) => held.get(step.id) || [];
    const worthShowing = (s) => s.kind === 'phase' || (s.kind === 'pseudo' && (s.measurements.length || s.failure || s.id === '@safe_state'));
    const nothing = element('p', {class: 'note', hidden: true});
    tree.append(nothing, ...run.steps.filter(worthShowing).map((s) => stepNode(s, childrenOf)));
    const filters = byId('filters');
    const show = (kind) => {
      for (const button of filters.children) button.setAttribute('aria-pressed', String(button.dataset.kind === kind));
      for (const node of tree.querySelectorAll('details')) {
        const verdict = node.dataset.verdict;
        const hit = kind === 'all' || (kind === 'bad' && bad(verdict)) || (kind === 'marginal' && verdict === 'marginal') ||
          (kind !== 'all' && [...node.querySelectorAll('details')].some((n) => (kind === 'bad' ? bad(n.dataset.verdict) : n.dataset.verdict === kind)));
        node.hidden = !hit;
      }
      const shown = tree.querySelector('details:not([hidden])');
      nothing.hidden = Boolean(shown);
      nothing.textContent = {all: 'No step ran.', bad: 'No step failed.', marginal: 'No step was marginal.'}[kind];
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
  function picture(title, caption, option, {wide, holder = 'charts', height, click} = {}) {
    const drawing = element('div', {class: 'chart', role: 'img', 'aria-label': `${title}. ${caption}`, style: height ? `height: ${height}px` : undefined});
    byId(holder).append(element('figure', {class: `card ${wide ? 'wide' : ''}`}, element('h3', {}, title), drawing, element('figcaption', {class: 'caption'}, caption)));
    byId(holder).closest('section').hidden = false;
    charts.push({holder: drawing, option, click});
  }
  function axes() {
    const line = {lineStyle: {color: css('--line')}};
    return {axisLine: line, splitLine: line, axisLabel: {color: css('--dim'), hideOverlap: true}, nameTextStyle: {color: css('--dim')}};
  }
  function legend(more) {
    return {type: 'scroll', top: 0, itemWidth: 14, itemHeight: 8, textStyle: {color: css('--ink')}, pageTextStyle: {color: css('--dim')}, pageIconColor: css('--ink'), pageIconInactiveColor: css('--line'), ...more};
  }
  function lines(series, unit, xName, {limits = []} = {}) {
    const marks = () => (limits.length ? {silent: true, symbol: 'none', label: {color: css('--dim'), position: 'insideStartTop', formatter: (p) => p.name}, lineStyle: {color: css('--fail'), type: 'dashed'}, data: limits.map((l) => ({name: l.text, yAxis: l.value}))} : undefined);
    return () => ({
      animation: false, color: palette, textStyle: {color: css('--ink')},
      grid: {left: 8, right: 18, top: 40, bottom: 30, containLabel: true}, legend: legend({icon: 'roundRect'}),
      tooltip: {trigger: 'axis', confine: true, valueFormatter: (v) => (v === null || v === undefined ? 'no number' : engineering(v, unit))},
      xAxis: {type: 'value', name: xName, nameLocation: 'middle', nameGap: 24, scale: true, ...axes()},
      yAxis: {type: 'value', scale: true, ...axes()},
      series: series.map((s, i) => ({type: 'line', showSymbol: s.points.length < 3, symbolSize: 5, name: s.name, data: s.points, lineStyle: {width: 1.6}, markLine: i === 0 ? marks() : undefined})),
    });
  }
  function drawTimeline() {
    const rows = run.steps.filter((s) => s.kind === 'verb' && s.attempts > 0 && s.ended).concat(run.steps.filter((s) => s.kind === 'verb' && !s.ended));
    if (rows.length < 2) return;
    const end = Math.max(...rows.map((s) => s.t + s.duration_s));
    const lengthOf = (s) => (s.ended ? s.duration_s : Math.max(0, end - s.t));
    const phases = [...new Set(rows.map((s) => s.phase))].reverse();
    const render = (parameters, api) => {
      const from = api.coord([api.value(0), api.value(2)]);
      const to = api.coord([api.value(1), api.value(2)]);
      const height = api.size([0, 1])[1] * 0.64;
      const fewest = api.value(3) ? 5 : 1.5;
      return {type: 'rect', shape: {x: from[0], y: from[1] - height / 2, width: Math.max(fewest, to[0] - from[0]), height}, style: {fill: api.visual('color'), opacity: api.value(3) ? 1 : .8}};
    };
    const data = rows.map((s) => ({value: [s.t, s.t + lengthOf(s), phases.indexOf(s.phase), bad(s.verdict) ? 1 : 0], itemStyle: {color: css(`--${s.verdict}`)}, step: s, z2: bad(s.verdict) ? 2 : 1}));
    const failure = run.first_failure;
    picture('Timeline', `Every step in bench time, by phase; the colour is the verdict.${failure ? ' The line marks the first failure.' : ''} A click on a bar opens its step.`, () => ({
      animation: false, grid: {left: 8, right: 18, top: 12, bottom: 34, containLabel: true}, textStyle: {color: css('--ink')},
      tooltip: {confine: true, formatter: (p) => { const s = p.data.step; return `<b>${escaped(s.title || s.own_id)}</b><br>${s.ended ? `${s.verdict}, ${seconds(s.duration_s)} at ${seconds(s.t)}` : 'did not end'}`; }},
      xAxis: {type: 'value', name: 'bench time (s)', nameLocation: 'middle', nameGap: 24, ...axes()},
      yAxis: {type: 'category', data: phases, ...axes()},
      series: [{type: 'custom', renderItem: render, encode: {x: [0, 1], y: 2}, data: data.map((d) => ({...d, itemStyle: {color: css(`--${d.step.verdict}`)}})),
        markLine: failure ? {silent: true, symbol: 'none', label: {show: false}, lineStyle: {color: css('--fail'), type: 'solid', width: 1.5}, data: [{xAxis: failure.t}]} : undefined}],
    }), {wide: true, holder: 'timeline', height: Math.max(150, 60 + phases.length * 22), click: (p) => p.data && p.data.step && openStep(p.data.step.id)});
  }
  function drawRamps() {
    const ramps = run.data.filter((d) => d.kind === 'rail_ramp' && (d.value.points || []).length > 1);
    const rails = [...new Set(ramps.map((d) => d.value.rail))];  // a rail has one colour in both pictures
    for (const direction of ['up', 'down']) {
      const list = ramps.filter((d) => (d.value.direction || 'up') === direction).sort((a, b) => rails.indexOf(a.value.rail) - rails.indexOf(b.value.rail));
      if (!list.length) continue;
      picture(`Rail ramps, ${direction} (V)`, 'Each from the moment it was told to move.',
        lines(list.map((d) => ({name: d.value.rail, points: d.value.points.map(([t, v]) => [(t - d.value.points[0][0]) * 1e3, v])})), 'V', 'ms'));
    }
  }
  function drawDroops() {
    const curves = run.data.filter((d) => d.kind === 'burst_droop' && (d.value.points || []).length > 1);
    for (const [rail, list] of grouped(curves, (d) => d.value.rail)) {
      picture(`Droop of ${rail} under bursts (V)`, 'The lowest voltage of bursts that long, each from rest, by the regulator\u2019s capture; nominal time.',
        lines(list.map((d) => ({name: d.value.ramp ? 'with the ramp' : 'without', points: d.value.points.map(([t, v]) => [+(t * 1e9).toPrecision(9), v])})), 'V', 'length of the burst (ns)'));
    }
  }
  const quantityName = {degC: 'Temperatures', V: 'Voltages', 'V ': 'Input voltages', A: 'Currents', W: 'Powers', 'L/min': 'Coolant flow', Hz: 'Frequencies', Pa: 'Pressures', K: 'Temperature differences', '': 'Lines and plain numbers'};
  function drawSeries() {
    const moves = (s) => s.points.some(([, v]) => v !== s.points[0][1]);
    // The board's input would flatten the rails; a line that never changed is no picture.
    const high = new Set(run.series.filter((s) => s.unit === 'V' && s.points.some(([, v]) => v > 4)).map((s) => s.name));
    const units = grouped(run.series.filter((s) => s.points.length > 1 && (s.unit || moves(s))), (s) => (high.has(s.name) && s.unit === 'V' ? 'V ' : s.unit));
    const rank = (unit) => { const at = Object.keys(quantityName).indexOf(unit); return at < 0 ? 99 : at; };
    for (const unit of [...units.keys()].filter((u) => units.get(u).reduce((n, s) => n + s.points.length, 0) >= 20).sort((a, b) => rank(a) - rank(b))) {
      const series = [...grouped(units.get(unit), (s) => s.name)].map(([name, list]) => ({name, points: list.sort((a, b) => a.points[0][0] - b.points[0][0])
        .flatMap((s) => [...s.points, [s.points[s.points.length - 1][0], null]])}));
      const sampled = units.get(unit).some((s) => s.sampled) ? ' Long series are thinned, with every excursion kept; events.jsonl has all points.' : '';
      const named = quantityName[unit] || unit;
      picture(unit.trim() ? `${named} (${unit.trim()})` : named, `Sampled while steps ran, in bench time.${sampled}`, lines(series, unit.trim(), 'bench time (s)'), {wide: unit === 'degC'});
    }
  }
  function drawInterlocks() {
    for (const {kind, content: c} of run.events) {
      if (kind !== 'firstlight.interlock' || !['tripped', 'suspended', 'warned'].includes(c.event) || !Array.isArray(c.samples) || c.samples.length < 2) continue;
      const bound = /^[<>]=?\s*(-?[\d.e+-]+)/.exec(c.limit || '');
      const inBase = bound && new RegExp(`^[<>]=?\\s*-?[\\d.e+-]+\\s*${(c.unit || '').replace(/[^A-Za-z]/g, '.')}$`).test(c.limit);
      picture(`Interlock ${c.name}: ${c.event}${c.unit ? ` (${c.unit})` : ''}`, `${c.watch || ''} before it ${c.event}; limit ${c.limit || 'unknown'}${c.dwell_s ? `, for ${seconds(c.dwell_s)}` : ''}.`,
        lines([{name: c.watch || c.name, points: c.samples}], c.unit || '', 'bench time (s)', {limits: inBase ? [{value: Number(bound[1]), text: c.limit}] : []}), {wide: true});
    }
  }
  function drawLtssm() {
    const order = ['DISABLED', 'DETECT', 'POLLING', 'CONFIG', 'RECOVERY', 'L0'];
    for (const d of run.data.filter((x) => x.kind === 'ltssm_trace')) {
      const entries = d.value.entries || [];
      if (!entries.length) continue;
      const states = [...order, ...new Set(entries.map((e) => String(e.state)).filter((state) => !order.includes(state)))];
      const inSeconds = entries[0].t !== undefined;
      const time = (e) => Number(inSeconds ? e.t : e.cycle);
      const span = time(entries[entries.length - 1]) - time(entries[0]) || 1;
      const [factor, unit] = !inSeconds ? [1, 'cycles'] : span < 1e-6 ? [1e9, 'ns'] : span < 1e-3 ? [1e6, 'us'] : span < 1 ? [1e3, 'ms'] : [1, 's'];
      const points = entries.map((e) => [+((time(e) - time(entries[0])) * factor).toPrecision(9), states.indexOf(String(e.state))]);
      points.push([points[points.length - 1][0] + span * factor * 0.08, points[points.length - 1][1]]);
      const start = inSeconds ? seconds(time(entries[0])) : `cycle ${time(entries[0])}`;
      picture(`${d.value.link || 'Link'}: link training`, `LTSSM states from ${start} on: ${entries.map((e) => e.state).slice(0, 16).join(' > ')}${entries.length > 16 ? ` ... (${entries.length} in all)` : ''}`, () => ({
        animation: false, color: palette, grid: {left: 8, right: 20, top: 14, bottom: 30, containLabel: true}, textStyle: {color: css('--ink')},
        tooltip: {trigger: 'axis', confine: true, formatter: (p) => { const e = entries[Math.min(p[0].dataIndex, entries.length - 1)]; return escaped(`${e.state}${e.cause ? `: ${e.cause}` : ''}, ${+points[p[0].dataIndex][0].toPrecision(5)} ${unit}`); }},
        xAxis: {type: 'value', name: unit, nameLocation: 'middle', nameGap: 24, ...axes()},
        yAxis: {type: 'category', data: states, ...axes()}, series: [{type: 'line', step: 'start', data: points, symbolSize: 7, lineStyle: {width: 2}}],
      }));
    }
  }
  function drawLanes() {
    for (const d of run.data.filter((x) => x.kind === 'lane_ber')) {
      const lanes = d.value.lanes || [];
      if (!lanes.length) continue;
      const positive = lanes.flatMap((l) => [l.ber, l.bound]).filter((b) => typeof b === 'number' && b > 0).map(Math.log10);
      const floor = positive.length ? 10 ** (Math.floor(Math.min(...positive)) - 1) : 1e-12;
      const ceiling = positive.length ? 10 ** (Math.ceil(Math.max(...positive)) + 1) : 1;
      picture(`${d.value.link || 'Link'}: bit error ratio per lane`, `${d.value.pattern || 'PRBS'}; solid: measured, outlined: bound at ${Math.round((d.value.confidence || 0.95) * 100)} % confidence. ` +
        lanes.map((l) => `lane ${l.lane}: ${l.errors} errors in ${Number(l.bits).toPrecision(3)} bits`).join('; '), () => ({
        animation: false, color: palette, grid: {left: 8, right: 16, top: 16, bottom: 8, containLabel: true}, textStyle: {color: css('--ink')}, tooltip: {trigger: 'axis', confine: true}, xAxis: {type: 'category', data: lanes.map((l) => `lane ${l.lane}`), ...axes()},
        yAxis: {type: 'log', min: floor, max: ceiling, startValue: floor, ...axes(), axisLabel: {color: css('--dim'), formatter: (v) => v.toExponential(0)}},
        series: [{type: 'bar', name: 'measured', data: lanes.map((l) => (l.ber > 0 ? l.ber : null))}, {type: 'bar', name: 'bound', data: lanes.map((l) => l.bound), itemStyle: {color: 'transparent', borderColor: css('--ink'), borderType: 'dashed', borderWidth: 1.2}}],
      }));
    }
  }
  function drawEyes() {
    for (const d of run.data.filter((x) => x.kind === 'link_eye')) {
      const {lane, bits, phases = [], offsets = [], errors = []} = d.value;
      if (!errors.length || !phases.length) continue;
      const least = Math.floor(Math.log10(1 / bits));  // what shows no error is drawn a decade below one
      const cells = errors.flatMap((row, y) => row.map((wrong, x) => [x, y, wrong > 0 ? Math.log10(wrong / bits) : least - 1, wrong]));
      const open = cells.filter((c) => c[3] === 0).length;
      picture(`${d.value.link}: eye of lane ${lane}`, `Where a second sampler differs from the data, ${bits} bits at each place. ${open} of ${cells.length} places show no error.`, () => ({
        animation: false, grid: {left: 24, right: 18, top: 12, bottom: 84, containLabel: true}, textStyle: {color: css('--ink')},
        tooltip: {confine: true, formatter: (p) => escaped(`${+phases[p.value[0]].toPrecision(3)} bit, ${engineering(offsets[p.value[1]], 'V')}: ${p.value[3]} of ${bits} bits differ`)},
        xAxis: {type: 'category', name: 'bit', nameLocation: 'middle', nameGap: 24, data: phases.map((x) => +x.toPrecision(3)), ...axes()},
        yAxis: {type: 'category', data: offsets.map((v) => Math.round(v * 1e3)), name: 'mV', nameLocation: 'middle', nameGap: 36, ...axes()},
        visualMap: {dimension: 2, min: least - 1, max: Math.log10(.5), orient: 'horizontal', left: 'center', bottom: 0, itemHeight: 90, itemWidth: 10, textStyle: {color: css('--dim')}, text: ['half', 'none'],
          inRange: {color: [css('--pass'), css('--marginal'), css('--fail')]}},
        series: [{type: 'heatmap', data: cells}],
      }));
    }
  }
  function drawBathtubs() {
    for (const d of run.data.filter((x) => x.kind === 'link_bathtub')) {
      const lanes = d.value.lanes || [];
      if (!lanes.length) continue;
      const bounds = lanes.flatMap((l) => l.points.map((p) => p[3])).filter((b) => b > 0);
      const floor = 10 ** Math.floor(Math.log10(Math.min(...bounds, d.value.target)));
      picture(`${d.value.link}: bathtubs`, `Bit error ratio across the bit at the middle threshold, not above this at ${Math.round(d.value.confidence * 100)} % confidence; the target is ${d.value.target.toExponential(0)}.`, () => ({
        animation: false, color: palette, grid: {left: 8, right: 18, top: 40, bottom: 30, containLabel: true}, textStyle: {color: css('--ink')},
        legend: legend({icon: 'roundRect'}),
        tooltip: {trigger: 'axis', confine: true, valueFormatter: (v) => Number(v).toExponential(1)},
        xAxis: {type: 'value', name: 'bit', min: -.5, max: .5, nameLocation: 'middle', nameGap: 24, ...axes()},
        yAxis: {type: 'log', min: floor, max: 1, startValue: floor, ...axes(), axisLabel: {color: css('--dim'), formatter: (v) => v.toExponential(0)}},
        series: lanes.map((l, i) => ({type: 'line', name: `lane ${l.lane}`, symbolSize: 5, lineStyle: {width: 1.6}, data: l.points.map((p) => [p[0], p[3]]),
          markLine: i === 0 ? {silent: true, symbol: 'none', label: {show: false}, lineStyle: {color: css('--fail'), type: 'dashed'}, data: [{yAxis: d.value.target}]} : undefined})),
      }));
    }
  }
  function drawMemoryWindows() {
    for (const d of run.data.filter((x) => x.kind === 'memory_windows')) {
      const rows = (d.value.lanes || []).flatMap((l) => ['write', 'read'].map((direction) => ({name: `lane ${l.lane} ${direction}`, direction, ...l[direction]}))).reverse();
      if (!rows.length) continue;
      const found = rows.filter((r) => r.first !== undefined);
      const narrow = (r) => r.first === undefined || r.last - r.first + 1 < d.value.min_window;
      const render = (parameters, api) => {
        const from = api.coord([api.value(0), api.value(2)]);
        const to = api.coord([api.value(1) + 1, api.value(2)]);
        const height = api.size([0, 1])[1] * 0.6;
        return {type: 'rect', shape: {x: from[0], y: from[1] - height / 2, width: to[0] - from[0], height}, style: {fill: api.visual('color'), opacity: .8}};
      };
      picture(`${d.value.memory}: windows per lane`, `Delay taps at which each byte lane arrives right, and the tap that was set; a window needs ${d.value.min_window} taps. ` +
        (found.length < rows.length ? `No window: ${rows.filter((r) => r.first === undefined).map((r) => r.name).reverse().join(', ')}.` : `The narrowest has ${Math.min(...found.map((r) => r.last - r.first + 1))}.`), () => ({
        animation: false, grid: {left: 8, right: 18, top: 12, bottom: 34, containLabel: true}, textStyle: {color: css('--ink')},
        tooltip: {confine: true, formatter: (p) => { const r = p.data.row; return escaped(`${r.name}: taps ${r.first} to ${r.last}, set to ${r.tap}`); }},
        xAxis: {type: 'value', name: 'tap', min: 0, max: d.value.taps, nameLocation: 'middle', nameGap: 24, ...axes()},
        yAxis: {type: 'category', data: rows.map((r) => r.name), ...axes()},
        series: [
          {type: 'custom', renderItem: render, encode: {x: [0, 1], y: 2}, data: rows.map((r, i) => ({value: [r.first, r.last, i], row: r, itemStyle: {color: narrow(r) ? css('--fail') : palette[r.direction === 'read' ? 0 : 1]}})).filter((x) => x.row.first !== undefined)},
          {type: 'scatter', symbol: 'rect', symbolSize: [2, 12], itemStyle: {color: css('--ink')}, data: rows.map((r, i) => ({value: [r.tap + .5, i], row: r})).filter((x) => x.row.first !== undefined)},
        ],
      }), {height: 340});
    }
  }
  function drawMemoryShmoo() {
    for (const d of run.data.filter((x) => x.kind === 'memory_shmoo')) {
      const errors = d.value.errors || [];
      if (!errors.length) continue;
      const lanes = errors[0].map((_, lane) => `lane ${lane}`);
      picture(`${d.value.memory}: ${d.value.direction} shmoo`, `Wrong bits of ${d.value.bits} in a training page at each tap of a lane, the other direction as trained.`, () => ({
        animation: false, grid: {left: 8, right: 18, top: 12, bottom: 70, containLabel: true}, textStyle: {color: css('--ink')}, tooltip: {confine: true, formatter: (p) => escaped(`${lanes[p.value[1]]}, tap ${p.value[0]}: ${p.value[2]} wrong bits`)},
        xAxis: {type: 'category', name: 'tap', nameLocation: 'middle', nameGap: 24, data: errors.map((_, tap) => tap), ...axes()}, yAxis: {type: 'category', inverse: true, data: lanes, ...axes()},
        visualMap: {min: 0, max: d.value.bits / 2, orient: 'horizontal', left: 'center', bottom: 0, itemHeight: 90, itemWidth: 10, textStyle: {color: css('--dim')}, inRange: {color: [css('--pass'), css('--marginal'), css('--fail')]}},
        series: [{type: 'heatmap', data: errors.flatMap((row, tap) => row.map((wrong, lane) => [tap, lane, wrong]))}],
      }));
    }
  }
  function drawResistance() {
    // A sequence measures zone by zone; one picture compares them.
    const zones = run.data.filter((x) => x.kind === 'thermal_resistance').flatMap((d) => d.value.zones || []);
    if (!zones.length) return;
    picture('Thermal resistance per zone', 'Rise per watt of the zone heater. One bar that stands out is a cold plate that does not sit.', () => ({
      animation: false, color: palette, grid: {left: 8, right: 16, top: 30, bottom: 8, containLabel: true}, textStyle: {color: css('--ink')}, tooltip: {trigger: 'axis', confine: true, valueFormatter: (v) => engineering(v, 'K/W')},
      xAxis: {type: 'category', data: zones.map((z) => String(z.zone)), ...axes()}, yAxis: {type: 'value', name: 'K/W', ...axes()},
      series: [{type: 'bar', name: 'thermal resistance', data: zones.map((z) => z.k_per_w), barMaxWidth: 48, label: {show: true, position: 'top', color: css('--ink'), formatter: (p) => `${+Number(p.value).toPrecision(3)}`}}],
    }));
  }
  /** Products of matrices, each against what array and memory allow; one picture for all sweeps of an engine. */
  function drawRooflines() {
    for (const [engine, sweeps] of grouped(run.data.filter((x) => x.kind === 'roofline'), (d) => d.value.engine || 'Tensor engine')) {
      const points = sweeps.flatMap((d) => d.value.points || []).filter((p) => p.ops_per_cycle > 0 && p.intensity > 0);
      const bandwidth = sweeps[0].value.bytes_per_cycle;
      if (!points.length || !(bandwidth > 0)) continue;
      const peaks = [...new Set(points.map((p) => p.peak))].sort((a, b) => b - a);
      const dtypes = [...new Set(points.map((p) => p.dtype))];
      const decade = (list, up) => 10 ** (up ? Math.ceil : Math.floor)(Math.log10((up ? Math.max : Math.min)(...list)));
      const ridges = peaks.map((peak) => peak / bandwidth);
      const [left, right] = [decade([...points.map((p) => p.intensity), ...ridges], false), decade([...points.map((p) => p.intensity), ...ridges], true)];
      const bottom = decade([...points.map((p) => p.ops_per_cycle), bandwidth * left], false);
      const roofs = peaks.map((peak) => ({type: 'line', name: `roof ${+peak.toPrecision(4)} ops/cycle`, symbol: 'none', silent: true, lineStyle: {width: 1.5, type: 'dashed', color: css('--dim')}, itemStyle: {color: css('--dim')},
        data: [[left, bandwidth * left], [peak / bandwidth, peak], [right, peak]]}));
      const best = points.reduce((a, b) => (b.utilisation > a.utilisation ? b : a));
      picture(`${engine}: roofline`, `Operations a cycle against operations for each byte of the busier direction; the roofs are the array's and, slanted, the memory's ${bandwidth} bytes a cycle. ` +
        `Best: ${best.dtype} ${best.shape}, ${(best.utilisation * 100).toFixed(1)} % of the time busy.`, () => ({
        animation: false, color: palette, textStyle: {color: css('--ink')}, grid: {left: 8, right: 22, top: 40, bottom: 30, containLabel: true},
        legend: legend(),
        tooltip: {confine: true, formatter: (p) => (p.data.point ? `<b>${escaped(p.data.point.dtype)} ${escaped(p.data.point.shape)}</b><br>${+p.data.point.ops_per_cycle.toPrecision(4)} ops/cycle, ${(p.data.point.utilisation * 100).toFixed(1)} % busy<br>${p.data.point.cycles} cycles, ideal ${p.data.point.ideal_cycles}` : '')},
        xAxis: {type: 'log', name: 'operations for each byte', nameLocation: 'middle', nameGap: 24, min: left, max: right, ...axes()}, yAxis: {type: 'log', name: 'ops/cycle', min: bottom, ...axes()},
        series: [...dtypes.map((dtype) => ({type: 'scatter', name: dtype, symbolSize: 9, z: 3, data: points.filter((p) => p.dtype === dtype).map((p) => ({value: [p.intensity, p.ops_per_cycle], point: p}))})), ...roofs],
      }), {wide: true});
    }
  }
  function drawLosses() {
    for (const d of run.data.filter((x) => x.kind === 'loss_curve')) {
      const points = d.value.points || [];
      if (points.length < 2) continue;
      const wrong = points.filter(([, is, due]) => is !== due).length;
      picture(`Loss of the ${d.value.network || 'network'} in training`, wrong ? `${wrong} of ${points.length} losses are not what they should be; dashed: the reference.` : `${points.length} steps, each loss equal to the reference to the last bit.`, () => {
        const option = lines([{name: 'measured', points: points.map(([step, is]) => [step, is])}, ...(wrong ? [{name: 'reference', points: points.map(([step, , due]) => [step, due])}] : [])], '', 'training step')();
        if (option.series[1]) option.series[1].lineStyle = {width: 1.6, type: 'dashed'};
        return option;
      });
    }
  }
  function paint() {
    for (const chart of charts) {
      if (chart.instance) chart.instance.dispose();
      chart.instance = echarts.init(chart.holder, null, {renderer: 'svg'});
      chart.instance.setOption(chart.option());
      if (chart.click) chart.instance.on('click', chart.click);
    }
  }

  // ---- bench log and parameters

  function drawBench() {
    const quiet = ['armed', 'disarmed', 'started', 'summary', 'energise', 'released', 'undo', 'undone', 'pending', 'cleared'];
    const row = (e) => {
      const c = e.content;
      const value = c.value !== undefined ? engineering(c.value, c.unit) : '';
      const of = c.failure && c.failure.message;
      switch (e.kind) {
        case 'firstlight.interlock': return [`interlock ${c.name}`, c.event, [c.watch, value, c.limit && `(${c.limit})`, of].filter(Boolean).join(' ')];
        case 'firstlight.ledger': return ['ledger', c.event, [c.what || c.undo || c.key, of].filter(Boolean).join(': ')];
        case 'firstlight.monitor': return [`monitor ${c.name}`, c.event, [c.subject, value, c.verdict, of].filter(Boolean).join(' ')];
        case 'firstlight.attempt': return [e.step, `attempt ${c.attempt}`, [c.verdict, of].filter(Boolean).join(': ')];
        case 'firstlight.failure': return [e.step, 'failure', c.message];
        case 'firstlight.prompt': return ['operator', 'prompt', `${c.question} ${c.answer === undefined ? '(no answer)' : c.answer}`];
        case 'firstlight.safe_state': return ['safe state', c.safe ? 'safe' : 'NOT SAFE', [`(${c.reason})`, ...(c.verified || []).map((v) => `${v.rail} ${v.voltage === undefined ? v.note || 'unread' : engineering(v.voltage, 'V')}${v.safe === false ? ' NOT SAFE' : ''}`)].join(', ')];
        default: return [e.kind.replace('firstlight.', ''), c.event || '', of || ''];
      }
    };
    const loud = (e) => ['tripped', 'violated', 'undo_failed'].includes(e.content.event) || e.content.safe === false || e.kind === 'firstlight.failure';
    const table = (events) => element('table', {class: 'events'}, element('thead', {}, element('tr', {}, ...['bench time', 'who', 'event', ''].map((t) => element('th', {}, t)))),
      element('tbody', {}, ...events.map((e) => element('tr', {class: loud(e) ? 'loud' : undefined}, element('td', {class: 'num'}, seconds(e.t)), ...row(e).map((t) => element('td', {}, t))))));
    // A passing monitor that stops is no news.
    const news = run.events.filter((e) => !quiet.includes(e.content.event) && !(e.content.event === 'stopped' && e.content.verdict === 'pass'));
    const log = byId('benchlog');
    log.append(news.length ? element('div', {class: 'card'}, table(news)) : element('p', {class: 'note'}, 'No interlock or monitor had anything to say.'));
    if (run.events.length > news.length) log.append(element('details', {class: 'phase', id: 'ledger'}, element('summary', {class: 'plain'}, `All ${run.events_in_record || run.events.length} events: what was energised, armed, watched and undone`), table(run.events),
      run.events_in_record ? element('p', {class: 'note'}, `${run.events.length} are shown; events.jsonl has all.`) : ''));
  }
  function drawParameters() {
    const rows = [...flattened(run.parameters), ...flattened(run.dut), ['started', run.wall_start], ['ended', run.wall_end], ['command', run.command_line]].filter(([, v]) => v);
    byId('parameters').append(element('div', {class: 'card'}, pairs(rows, rows.map(([k]) => k))));
  }
  function openStep(id) {
    const target = byId(`step-${id}`);
    for (let node = target; node; node = node.parentElement) if (node.tagName === 'DETAILS') { node.open = true; node.hidden = false; }
    if (!target) return false;
    target.scrollIntoView({block: 'start'});
    target.querySelector('summary').focus({preventScroll: true});
    return true;
  }
  function openLinked() {
    let hash = location.hash;
    try { hash = decodeURIComponent(hash); } catch { /* not of ours */ }
    if (hash.startsWith('#step-')) openStep(hash.slice(6));
  }

  drawSteps();
  drawTimeline();
  drawInterlocks();
  drawRamps();
  drawDroops();
  drawLtssm();
  drawLanes();
  drawEyes();
  drawBathtubs();
  drawMemoryWindows();
  drawMemoryShmoo();
  drawResistance();
  drawRooflines();
  drawLosses();
  drawSeries();
  drawBench();
  drawParameters();
  byId('sections').append(...[['when', 'Timeline'], ['steps', 'Steps'], ['pictures', 'Pictures'], ['bench', 'Bench'], ['about', 'Run']].filter(([id]) => !byId(id).hidden).map(([id, t]) => element('a', {href: `#${id}`}, t)));
  for (const button of document.querySelectorAll('button.copyit')) button.addEventListener('click', () => {
    navigator.clipboard.writeText(button.previousElementSibling.textContent).then(() => { button.textContent = 'copied'; }, () => { button.textContent = 'select and copy'; });
  });
  for (const link of document.querySelectorAll('a.tostep')) link.addEventListener('click', (event) => { if (openStep(link.dataset.step)) event.preventDefault(); });
  paint();
  let timer = 0;
  window.addEventListener('resize', () => { clearTimeout(timer); timer = setTimeout(() => charts.forEach((c) => c.instance.resize()), 100); });
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  window.addEventListener('hashchange', openLinked);
  openLinked();
  document.documentElement.dataset.ready = 'true';
})();
