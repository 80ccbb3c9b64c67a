// The page: the worldlines of a thread as a graph, the timeline of one, and where another one parts from it. It asks again every
// second, and the server answers in a word where nothing changed.

const ROW = 44, MOST = 500, PIECE = 100, EVERY = 1000
const find = id => document.getElementById(id)
const state = { thread: null, left: null, right: null, lines: [], first: 0, next: 0, head: null }
const tags = new Map()

class Refused extends Error {}

async function ask(path, options = {}) {
  const headers = { ...options.headers }
  const token = sessionStorage.getItem('token')
  if (token) headers.authorization = `Bearer ${token}`
  if (options.tag && tags.has(path)) headers['if-none-match'] = tags.get(path)
  if (options.body) headers['content-type'] = 'application/json'
  const answer = await fetch(path, { ...options, headers, cache: 'no-store' })
  if (answer.status === 304) return null
  const said = await answer.json()
  find('ask').hidden = answer.status !== 401
  if (!answer.ok) throw new Refused(said.error ?? said.refused?.reason ?? `status ${answer.status}`)
  if (options.tag) tags.set(path, answer.headers.get('etag'))
  return said
}

function made(tag, text, kind) {
  const one = document.createElement(tag)
  if (text !== undefined) one.textContent = text
  if (kind) one.className = kind
  return one
}

const id = text => encodeURIComponent(text)
const time = at => at ? new Date(at / 1000).toLocaleString() : ''
const named = line => line.name ?? line.worldline
const of = worldline => state.lines.find(line => line.worldline === worldline)

function say(text) {
  find('said').hidden = !text
  find('said').textContent = text ?? ''
}

// ---- the graph: a row a worldline, those that come from one right below it

function rows() {
  const wanted = find('find').value.trim().toLowerCase()
  if (wanted) return state.lines.filter(line => `${line.name ?? ''}\n${line.worldline}`.toLowerCase().includes(wanted))
  const below = new Map(), here = new Set(state.lines.map(line => line.worldline))
  for (const line of state.lines) {
    const source = here.has(line.source) ? line.source : null
    below.set(source, [...below.get(source) ?? [], line])
  }
  const found = [], rest = [...below.get(null) ?? []].reverse()
  while (rest.length) {
    const line = rest.pop()
    found.push(line)
    rest.push(...[...below.get(line.worldline) ?? []].reverse())
  }
  return found
}

function drawLines() {
  const all = rows(), shown = all.slice(0, MOST), list = find('lines'), ways = find('ways')
  const focus = document.activeElement?.dataset?.line
  list.replaceChildren(...shown.map(line => {
    const row = made('li'), button = made('button', undefined, 'name'), beside = made('button', 'beside', 'beside')
    const busy = Object.entries(line.jobs).filter(([, number]) => number).map(([name, number]) => `${number} ${name}`).join(', ')
    button.append(made('b', named(line)), made('small', `${line.messages} messages, ${line.length} events${busy ? `; jobs: ${busy}` : ''}`))
    button.title = `${line.worldline}\nlast activity ${time(line.last_activity)}`
    button.dataset.line = line.worldline
    button.setAttribute('aria-pressed', line.worldline === state.left)
    button.onclick = () => go(line.worldline, null)
    beside.title = 'show beside the timeline'
    beside.setAttribute('aria-label', `show ${named(line)} beside the timeline`)
    beside.setAttribute('aria-pressed', line.worldline === state.right)
    beside.onclick = () => go(state.left ?? line.worldline, line.worldline)
    row.append(button, beside)
    return row
  }))
  if (focus) list.querySelector(`[data-line="${CSS.escape(focus)}"]`)?.focus()
  find('more').hidden = all.length <= MOST
  find('more').textContent = `${all.length - MOST} more; find one by its name or id`
  const wide = parseFloat(getComputedStyle(list.firstElementChild ?? list).paddingLeft) - 16
  const longest = Math.max(1, ...shown.map(line => line.length))
  const at = place => 8 + wide * place / longest
  const rowOf = new Map(shown.map((line, number) => [line.worldline, number * ROW + ROW / 2]))
  ways.setAttribute('width', wide + 16)
  ways.setAttribute('height', shown.length * ROW)
  const path = (d, kind) => {
    const one = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    one.setAttribute('d', d)
    if (kind) one.setAttribute('class', kind)
    return one
  }
  ways.replaceChildren(...shown.flatMap(line => {
    const y = rowOf.get(line.worldline), from = at(line.length - line.own), to = at(line.length)
    const found = [path(`M${from} ${y}H${Math.max(to, from + 1)}`, 'own')]
    if (line.base && rowOf.has(line.source)) found.push(path(`M${from} ${rowOf.get(line.source)}V${y}`))
    return found
  }))
}

// ---- an event

function words(body) {
  const content = body?.message?.content ?? body?.text
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return body?.type === 'job' ? `job ${body.status}` : ''
  return content.map(block =>
    block?.type === 'text' ? block.text
      : block?.type === 'tool_use' ? `▸ ${block.name} ${JSON.stringify(block.input)}`
        : block?.type === 'tool_result' ? `◂ ${typeof block.content === 'string' ? block.content : JSON.stringify(block.content)}`
          : `[${block?.type}]`).join('\n')
}

function shown(event, place) {
  const item = made('li', undefined, event.body?.type === 'job' ? 'job' : event.kind), top = made('header')
  top.append(made('b', event.body?.type ?? event.kind), made('span', place === null ? '' : `event ${place + 1}`), made('span', time(event.at)))
  const text = words(event.body).slice(0, 20_000), all = made('details'), branch = made('button', 'Branch here')
  branch.onclick = () => act(async () => {
    const path = `/api/threads/${id(state.thread)}/worldlines`
    const line = await ask(path, { method: 'POST', body: JSON.stringify({ from_event: event.event, by: 'the page' }) })
    await look()
    go(line.worldline, null)
  })
  all.append(made('summary', event.event), branch)
  all.addEventListener('toggle', () => {
    if (!all.querySelector('pre')) all.append(made('pre', JSON.stringify(event.body ?? event.bytes, null, 2)))
  }, { once: true })
  item.append(top)
  if (text) item.append(made('p', text))
  item.append(all)
  return item
}

// ---- a timeline, and two side by side

function side(name) {
  const box = find(name)
  return { box, title: box.querySelector('h2'), about: box.querySelector('.about'), events: box.querySelector('.events'), earlier: box.querySelector('.earlier') }
}

function about(line) {
  const from = line.base ? ` · comes from ${line.source ? named(of(line.source) ?? { worldline: line.source }) : 'elsewhere'} at ${line.base}` : ''
  return `${line.length} events, ${line.own} of its own${from} · ${line.worldline}`
}

const part = (first, limit) => ask(`/api/worldlines/${id(state.left)}/events?first=${first}&limit=${limit}`)

async function showTimeline() {
  const left = side('left'), line = of(state.left)
  find('right').hidden = true
  left.earlier.hidden = true
  left.title.textContent = line ? named(line) : 'Timeline'
  left.about.textContent = line ? about(line) : 'Choose a worldline.'
  left.events.replaceChildren()
  if (!line) return
  const asked = state.left, found = await part(Math.max(0, line.length - PIECE), PIECE)
  if (asked !== state.left) return
  Object.assign(state, { first: found.first, next: found.first + found.events.length, head: found.head })
  left.events.replaceChildren(...found.events.map((event, number) => shown(event, found.first + number)))
  left.earlier.hidden = state.first === 0
}

async function earlier() {
  const size = Math.min(PIECE, state.first), found = await part(state.first - size, size)
  side('left').events.prepend(...found.events.map((event, number) => shown(event, found.first + number)))
  state.first -= size
  side('left').earlier.hidden = state.first === 0
}

async function later() {
  for (;;) {
    const asked = state.left, found = await part(state.next, PIECE)
    if (asked !== state.left) return
    side('left').events.append(...found.events.map((event, number) => shown(event, found.first + number)))
    Object.assign(state, { next: found.first + found.events.length, head: found.head })
    if (found.next === null) return
  }
}

async function showBoth() {
  const left = side('left'), right = side('right'), asked = [state.left, state.right].join()
  const found = await ask(`/api/worldlines/${id(state.left)}/diff?other=${id(state.right)}&limit=200`)
  if (asked !== [state.left, state.right].join()) return
  right.box.hidden = false
  left.earlier.hidden = true
  const common = found.common ? `Both have all up to ${found.common}.` : 'They have nothing in common.'
  for (const [where, which, events, number] of [[left, state.left, found.left, found.left_count], [right, state.right, found.right, found.right_count]]) {
    where.title.textContent = named(of(which) ?? { worldline: which })
    where.about.textContent = `${common} Behind that ${number} ${number === 1 ? 'event' : 'events'}${number > events.length ? `, the first ${events.length} of them here` : ''}.`
    where.events.replaceChildren(...events.map(event => shown(event, null)))
  }
}

const show = () => state.right ? showBoth() : showTimeline()

// ---- what is chosen stands in the address

function go(left, right) {
  location.hash = [state.thread, left, right].filter(Boolean).map(id).join('/')
}

function decoded(text) {
  try { return decodeURIComponent(text) } catch { return text }
}

async function chosen() {
  const [thread, left, right] = location.hash.slice(1).split('/').map(decoded)
  const other = thread !== state.thread
  Object.assign(state, { thread: thread || null, left: left || null, right: right || null })
  if (other) { state.lines = []; tags.clear(); await look() } else { drawLines() }
  find('thread').value = state.thread ?? ''
  await show()
}

// ---- live

async function look() {
  if (!state.thread) return
  const found = await ask(`/api/threads/${id(state.thread)}/worldline-summaries`, { tag: true })
  find('live').textContent = 'live'
  if (!found || found.thread !== state.thread) return
  const before = state.right ? [of(state.left)?.head, of(state.right)?.head].join() : null
  state.lines = found.worldlines
  drawLines()
  const line = of(state.left)
  if (state.right) { if (before !== [line?.head, of(state.right)?.head].join()) await showBoth() }
  else if (line && state.head && line.head !== state.head && line.length > state.next) {
    side('left').about.textContent = about(line)
    await later()
  }
}

async function threads() {
  const found = await ask('/api/threads', { tag: true })
  if (!found) return
  find('thread').replaceChildren(...found.threads.map(thread => { const one = made('option', thread); one.value = thread; return one }))
  if (!location.hash && found.threads.length) location.replace(`#${id(found.threads[0])}`)
  find('thread').value = state.thread ?? ''
  if (!found.threads.length) say('The store has no thread yet: `forkpoint store import SESSION` brings one.')
}

async function act(what) {
  try { await what(); say() }
  catch (error) {
    if (!(error instanceof Refused)) find('live').textContent = 'the service does not answer'
    say(error instanceof Refused ? error.message : null)
    if (!(error instanceof Refused || error instanceof TypeError)) throw error
  }
}

let busy = false
async function again() {
  if (busy || document.hidden) return
  busy = true
  try { await threads(); await look() }
  catch (error) { find('live').textContent = error instanceof Refused ? '' : 'the service does not answer' }
  finally { busy = false }
}

find('thread').onchange = event => { location.hash = id(event.target.value) }
find('find').oninput = drawLines
find('ask').onsubmit = event => {
  event.preventDefault()
  sessionStorage.setItem('token', find('token').value)
  act(async () => { await threads(); await chosen() })
}
side('left').earlier.onclick = () => act(earlier)
addEventListener('hashchange', () => act(chosen))
act(async () => { await threads(); if (location.hash) await chosen() })
setInterval(again, EVERY)
