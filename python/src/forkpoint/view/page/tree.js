// A session as a page: the tree on the left, the conversation at the place that is chosen on the right. What was said is packed in
// parts and unpacked when it comes into view; everything of the session is data and is shown as text.
'use strict'
{
  const ROW = 28, AROUND = 12, GROUP = 40, PART = 256, HELD = 96, HEAVY = 40, SEARCHED = 20
  const find = id => document.getElementById(id)
  const { size, lines: given, beside } = JSON.parse(find('about').textContent)

  // ---- what the page knows

  const lines = given.map(([source, behind, base, live, lost, bytes, stops, own], number) => ({
    number, source, behind, base, live, lost, bytes, own, closed: new Set(), below: new Map(),
    stops: stops.map(([kind, entry, line, uuid, number, text, time, point, can, tokens, out, brought, entries, what, counts, agents]) =>
      ({ kind, entry, line, uuid, number, text, time, point, can, tokens, out, brought, entries, what, counts, agents }))
  }))
  const owner = new Int32Array(size).fill(-1), anchor = new Map(), stopAt = new Map()
  for (let at = 0; at < beside.length; at += 2) anchor.set(beside[at], beside[at + 1])
  for (const line of lines) {
    for (const entry of line.own) owner[entry] = line.number
    for (const stop of line.stops) if (!stopAt.has(stop.entry)) stopAt.set(stop.entry, stop)
    if (line.source >= 0) {
      const below = lines[line.source].below
      if (!below.has(line.behind)) below.set(line.behind, [])
      below.get(line.behind).push(line)
    }
  }
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]/g
  const safe = text => text.replace(HIDDEN, sign => '\\u' + sign.charCodeAt(0).toString(16).padStart(4, '0'))
  const day = time => /^\d{4}-\d\d-\d\d/.test(time ?? '') ? time.slice(0, 10) : ''
  const minute = time => day(time) ? safe(time.slice(0, 16).replace('T', ' ')) : ''
  const amount = number => number < 1000 ? `${number}` : number < 999500 ? `${(number / 1000).toFixed(number < 9950 ? 1 : 0)} k` : `${(number / 1e6).toFixed(1)} M`
  const many = (number, noun) => `${number} ${number === 1 ? noun : noun.endsWith('y') ? noun.slice(0, -1) + 'ies' : noun + 's'}`

  function made(tag, text, kind) {
    const one = document.createElement(tag)
    if (text !== undefined) one.textContent = text
    if (kind) one.className = kind
    return one
  }

  // ---- the tree: only the rows in view are there

  const tree = find('tree'), space = made('div')
  space.setAttribute('role', 'presentation')
  tree.append(space)
  let rows = [], here = 0, chosen = null

  function listRows() {
    rows = []
    const walk = (line, depth) => line.stops.forEach((stop, at) => {
      const silent = stop.kind === 'end' && !line.live && !stop.brought && line.stops[at - 1]?.kind === 'prompt' && line.stops[at - 1].entry === stop.entry
      const kids = line.below.get(at) ?? []
      if (!silent || kids.length) rows.push({ line, stop, at, depth, kids, silent })
      if (!line.closed.has(at)) kids.forEach(kid => walk(kid, depth + 1))
    })
    lines.filter(line => line.source < 0).forEach(line => walk(line, 0))
    space.style.height = `${rows.length * ROW}px`
    space.textContent = ''
    drawn.clear()
  }

  const SIGNS = { merge: '◆', compaction: '≡', record: '·', fork: '◇' }
  const CAN = { legal: ['✓', 'legal to fork at'], resumable: ['○', 'resumable'], inherited: ['!', 'held back by an older break'], no: ['✗', 'not to be forked at'] }
  function sign({ line, stop }) {
    if (stop.out) return '×'
    if (stop.kind === 'prompt') return line.live ? '●' : '◌'
    return SIGNS[stop.kind] ?? (line.live ? '◉' : '□')
  }

  function words({ line, stop, at }) {
    if (stop.kind === 'prompt') return safe(stop.text.replace(/\s+/g, ' ').slice(0, 300)) || '(no words)'
    if (stop.kind === 'compaction') return `compaction${stop.entries ? `, preserves ${many(stop.entries, 'entry')}` : ''}`
    if (stop.kind === 'merge') return `merge: brings ${safe((stop.brought ?? '').slice(0, 8))}`
    if (stop.kind === 'fork') return 'fork'
    if (stop.kind === 'record') return `${safe(stop.what ?? '')}${stop.entries ? `: leaves out ${many(stop.entries, 'entry')}` : ''}${stop.counts || stop.what === 'undo' || stop.what === 'redo' ? '' : ', undone'}`
    return `${line.live ? 'HEAD' : 'end'} ${safe(stop.uuid.slice(0, 8))}, ${amount(stop.tokens)} tokens${stop.brought ? `, merged at ${safe(stop.brought.slice(0, 8))}` : ''}`
  }

  function drawRow(number) {
    const row = rows[number], { line, stop, at, depth, kids } = row, one = made('div', undefined, 'row')
    one.id = `row${number}`
    one.style.top = `${number * ROW}px`
    one.setAttribute('role', 'treeitem')
    one.setAttribute('aria-level', depth + 1)
    one.setAttribute('aria-posinset', number + 1)
    one.setAttribute('aria-setsize', rows.length)
    one.setAttribute('aria-selected', stop === chosen)
    if (kids.length) one.setAttribute('aria-expanded', !line.closed.has(at))
    if (number === here) one.classList.add('here')
    if (line.live) one.classList.add('live')
    if (line.live && stop.kind === 'end') one.classList.add('head')
    if (stop.out) one.classList.add('out')
    if (stop.kind !== 'prompt') one.classList.add('quiet')
    const gap = at === 0 && line.source < 0 && (line.lost || line.number > 0) ? line.lost ? `after a gap (its parent ${safe(line.lost).slice(0, 8)} is not in the file): ` : 'another beginning: ' : ''
    const text = gap + words(row), name = [stop.kind, stop.number ?? '', text, CAN[stop.can]?.[1] ?? '', stop.out ? 'left out' : '', line.live ? 'on the way to HEAD' : 'on another branch'].filter(String).join(', ')
    one.setAttribute('aria-label', name)
    one.title = `${text}\nline ${stop.line}${minute(stop.time) ? `, ${minute(stop.time)}` : ''}`
    one.append(made('span', stop.number ?? '', 'number'))
    for (let level = 0; level < Math.min(depth, 24); level++) one.append(made('span', undefined, 'rails'))
    one.append(made('span', sign(row), 'sign'), made('span', CAN[stop.can]?.[0] ?? '', 'can'), made('span', text, 'words'))
    if (stop.agents.length) one.append(made('span', `▸ ${many(stop.agents.length, 'sub-agent')}`, 'age'))
    if (kids.length) {
      const twist = made('span', line.closed.has(at) ? `▸ ${kids.length} ${kids.length === 1 ? 'branch' : 'branches'}` : '▾', 'age')
      twist.dataset.twist = ''
      one.append(twist)
    }
    one.append(made('span', day(stop.time), 'age'))
    one.addEventListener('click', event => {
      here = number
      if (event.target.dataset.twist !== undefined) toggle(row)
      else choose(row)
    })
    return one
  }

  const drawn = new Map()
  function drawTree() {
    const first = Math.max(0, Math.floor(tree.scrollTop / ROW) - AROUND)
    const last = Math.min(rows.length, Math.ceil((tree.scrollTop + tree.clientHeight) / ROW) + AROUND)
    for (const [number, one] of drawn) if (number < first || number >= last) { one.remove(); drawn.delete(number) }
    for (let number = first; number < last; number++) {
      if (drawn.has(number)) continue
      const one = drawRow(number)
      drawn.set(number, one)
      space.append(one)
    }
    if (drawn.has(here)) tree.setAttribute('aria-activedescendant', `row${here}`)
    else tree.removeAttribute('aria-activedescendant')
  }

  function again() {
    drawn.forEach(one => one.remove())
    drawn.clear()
    drawTree()
  }

  function toggle({ line, at }) {
    if (!line.closed.delete(at)) line.closed.add(at)
    listRows()
    drawTree()
  }

  function move(number) {
    here = Math.max(0, Math.min(rows.length - 1, number))
    const top = here * ROW
    if (top < tree.scrollTop) tree.scrollTop = top
    if (top + ROW > tree.scrollTop + tree.clientHeight) tree.scrollTop = top + ROW - tree.clientHeight
    again()
  }

  tree.addEventListener('scroll', () => requestAnimationFrame(drawTree))
  addEventListener('resize', drawTree)
  tree.addEventListener('keydown', event => {
    const row = rows[here], page = Math.max(1, Math.floor(tree.clientHeight / ROW) - 1)
    const above = () => { let at = here - 1; while (at > 0 && rows[at].depth >= row.depth) at--; return at }
    const keys = {
      ArrowDown: () => move(here + 1),
      ArrowUp: () => move(here - 1),
      PageDown: () => move(here + page),
      PageUp: () => move(here - page),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => row.kids.length && row.line.closed.has(row.at) ? toggle(row) : move(here + 1),
      ArrowLeft: () => row.kids.length && !row.line.closed.has(row.at) ? toggle(row) : row.depth && move(above()),
      Enter: () => choose(row),
      ' ': () => choose(row)
    }
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || !row) return
    event.preventDefault()
    keys[event.key]()
  })

  // ---- what was said, part by part

  const parts = new Map()
  async function unpacked(number) {
    let element
    while (!(element = find(`part${number}`)) && !find('whole') && document.readyState === 'loading') await new Promise(done => setTimeout(done, 20))
    if (!element) return []
    const bytes = Uint8Array.from(atob(element.textContent), sign => sign.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    return JSON.parse(await new Response(stream).text())
  }
  function part(number) {
    const found = parts.get(number) ?? unpacked(number)
    parts.delete(number)
    parts.set(number, found)
    if (parts.size > HELD) parts.delete(parts.keys().next().value)
    return found
  }
  const entryAt = async at => (await part(Math.floor(at / PART)))[at % PART]

  let wanted = ''
  function marked(box, text) {
    const low = wanted ? text.toLowerCase() : ''
    let at = 0, next = wanted ? low.indexOf(wanted) : -1
    if (low.length !== text.length) next = -1
    while (next >= 0) {
      box.append(text.slice(at, next), made('mark', text.slice(next, next + wanted.length)))
      at = next + wanted.length
      next = low.indexOf(wanted, at)
    }
    box.append(text.slice(at))
    return box
  }

  const FOLDED = new Set(['call', 'result', 'thinking'])
  const LABELS = { prompt: 'Prompt', queued: 'Prompt while it worked', notice: 'Notice', words: 'Answer', thinking: 'Thinking', call: 'Call', result: 'Result', compaction: 'Compaction', merge: 'Merged' }
  function article(at, [line, uuid, time, out, said]) {
    const stop = stopAt.get(at), one = made('article', undefined, [stop?.kind === 'prompt' ? 'prompt' : '', out ? 'out' : ''].filter(String).join(' '))
    one.dataset.entry = at
    const top = made('header'), typed = said.find(([kind]) => kind === 'queued')
    const number = stop?.kind === 'prompt' ? ` ${stop.number}` : typed ? ` ${typed[2]}` : ''
    if (said.some(([kind]) => !FOLDED.has(kind))) top.append(made('b', (LABELS[said.find(([kind]) => !FOLDED.has(kind))[0]] ?? 'Entry') + number))
    if (out) top.append(made('span', 'left out'))
    if (minute(time)) top.append(made('span', minute(time)))
    const link = made('a', `line ${line}`)
    link.href = `#e${at}`
    link.title = safe(uuid)
    top.append(link)
    if (stop?.point) {
      const how = made('code', `--at ${stop.number}`, 'point')
      how.title = 'forkpoint fork SESSION with this goes on behind this turn'
      top.append(how)
    }
    one.append(top)
    for (const [kind, raw, tool, more] of said) {
      const text = safe(raw), folded = FOLDED.has(kind)
      const box = marked(made(folded && kind !== 'thinking' ? 'pre' : 'p', undefined, 'text'), text)
      if (folded) {
        const fold = made('details'), brief = text.replace(/\s+/g, ' ').slice(0, 90)
        fold.append(made('summary', `${LABELS[kind]}${tool ? ` ${safe(tool)}` : ''}: ${brief}`), box)
        box.tabIndex = 0
        fold.open = wanted !== '' && text.toLowerCase().includes(wanted)
        one.append(fold)
      } else if (text) one.append(box)
      if (more) one.append(made('p', `${more} more characters on line ${line} of the file`, 'more'))
    }
    for (const [name, entries, told] of stop?.agents ?? []) one.append(made('p', `▸ sub-agent ${safe(name)}, ${many(entries, 'entry')}: ${safe(told)}`, 'more'))
    return one
  }

  // ---- a conversation, in groups that are filled when they come near

  const chain = line => line.source < 0 ? [line] : [...chain(lines[line.source]), line]
  function entriesOf(line) {
    const way = chain(line)
    return way.flatMap((one, at) => {
      const base = at + 1 < way.length ? way[at + 1].base : Infinity
      return base === Infinity ? one.own : one.own.filter(entry => (anchor.get(entry) ?? entry) <= base)
    })
  }

  class Pane {
    constructor(box) {
      this.box = box
      this.title = box.querySelector('h2')
      this.said = box.querySelector('.said')
      this.watch = new IntersectionObserver(seen => seen.forEach(one => one.isIntersecting && this.fill(one.target)), { root: box, rootMargin: '1200px' })
    }

    async fill(group) {
      this.watch.unobserve(group)
      group.filling ??= (async () => {
        const found = []
        for (const at of group.entries) {
          const entry = await entryAt(at)
          if (entry) found.push(article(at, entry))
        }
        group.replaceChildren(...found)
        group.style.minHeight = 0
      })()
      return group.filling
    }

    async show(line, entry, less = []) {
      const skip = new Set(less), all = entriesOf(line), shown = all.filter(at => !skip.has(at))
      if (this.line !== line || this.wanted !== wanted || this.less !== less.length) {
        this.line = line
        this.wanted = wanted
        this.less = less.length
        this.watch.disconnect()
        const last = line.stops[line.stops.length - 1]
        const named = made('span', `${line.live ? 'The way to HEAD' : `Branch to ${safe(last.uuid.slice(0, 8))}`}: ${many(all.length, 'entry')}${less.length ? `, ${less.length} of them in both` : ''}, ${amount(last.tokens)} tokens`)
        this.title.replaceChildren(named, ...this.buttons())
        this.groups = []
        for (let at = 0; at < shown.length; at += GROUP) {
          const group = made('section', undefined, 'group')
          group.entries = shown.slice(at, at + GROUP)
          this.groups.push(group)
        }
        this.said.replaceChildren(...this.groups)
        this.groups.forEach(group => this.watch.observe(group))
      }
      await this.go(entry)
    }

    buttons() {
      const button = made('button', this === left ? right ? 'Close the other' : 'Keep beside' : 'Close')
      button.addEventListener('click', () => right ? unpair() : pair())
      return [button]
    }

    async go(entry) {
      const group = this.groups.find(one => one.entries[one.entries.length - 1] >= entry) ?? this.groups[this.groups.length - 1]
      if (!group) return
      group.scrollIntoView()
      await this.fill(group)
      const found = [...group.querySelectorAll('article')]
      const one = found.find(each => Number(each.dataset.entry) >= entry) ?? found[found.length - 1]
      this.said.querySelectorAll('.here').forEach(each => each.classList.remove('here'))
      if (!one) return
      one.classList.add('here')
      for (let times = 0; times < 3; times++) {
        one.scrollIntoView()
        await new Promise(done => requestAnimationFrame(done))
      }
    }
  }

  const left = new Pane(document.querySelector('.pane'))
  let right = null

  function pair() {
    const box = made('section', undefined, 'pane')
    box.setAttribute('aria-label', 'Conversation beside')
    box.append(made('h2'), made('div', undefined, 'said'))
    find('talk').append(box)
    right = new Pane(box)
    const { line, entry } = current
    right.kept = { line, entry }
    left.line = null
    show()
  }

  function unpair() {
    right.box.remove()
    right = null
    left.line = null
    show()
  }

  let current = null, asked = 0
  async function show() {
    const { line, entry } = current, turn = ++asked
    if (!right) return left.show(line, entry)
    const other = right.kept.line, mine = new Set(entriesOf(line)), both = line === other ? [] : entriesOf(other).filter(at => mine.has(at))
    await left.show(line, entry, both)
    if (turn === asked) await right.show(other, right.kept.entry, both)
  }

  function choose(row) {
    chosen = row.stop
    again()
    return visit(row.line, row.stop.entry)
  }

  function visit(line, entry) {
    current = { line, entry }
    history.replaceState(null, '', `#e${entry}`)
    return show()
  }

  function visitEntry(entry) {
    const line = lines[owner[entry]]
    if (!line) return false
    const stops = line.stops.filter(stop => stop.entry <= entry)
    chosen = stops[stops.length - 1] ?? line.stops[0]
    const number = rows.findIndex(row => row.stop === chosen)
    if (number >= 0) move(number)
    visit(line, entry)
    return true
  }

  const linked = () => /^#e(\d{1,9})$/.exec(location.hash)?.[1]
  addEventListener('hashchange', () => { if (linked() !== undefined && Number(linked()) !== current?.entry) visitEntry(Number(linked())) })

  // ---- search, through all parts

  let hits = [], hit = -1, asking = 0
  async function search() {
    const text = find('words').value.trim().toLowerCase(), mine = ++asking
    hits = []
    hit = -1
    wanted = text
    if (!text) {
      find('found').textContent = ''
      return show()
    }
    for (let number = 0; number * PART < size; number++) {
      const found = await (parts.get(number) ?? unpacked(number))
      if (mine !== asking) return
      found.forEach((entry, at) => {
        const place = number * PART + at
        if (entry && owner[place] >= 0 && entry[4].some(said => safe(said[1]).toLowerCase().includes(text))) hits.push(place)
      })
      if (number % SEARCHED === 0) find('found').textContent = `${hits.length}, searched ${Math.round(100 * number * PART / size)} %`
      if (hit < 0 && hits.length) step(1)
    }
    tell()
  }
  const tell = () => { find('found').textContent = hits.length ? `${hit + 1} of ${hits.length}` : 'nothing found' }
  function step(by) {
    if (!hits.length) return
    hit = (hit + by + hits.length) % hits.length
    tell()
    visitEntry(hits[hit])
  }
  find('search').addEventListener('submit', event => {
    event.preventDefault()
    if (find('words').value.trim().toLowerCase() === wanted && wanted) step(1)
    else search()
  })
  find('before').addEventListener('click', () => step(-1))
  find('words').addEventListener('search', () => { if (!find('words').value) search() })

  // ---- weights

  find('weights').addEventListener('toggle', () => {
    const body = find('weights').querySelector('tbody')
    if (body.childElementCount) return
    const heavy = [...lines].sort((a, b) => b.bytes - a.bytes).slice(0, HEAVY)
    const largest = of => lines.reduce((most, line) => Math.max(most, of(line)), 1)
    const most = { tokens: largest(line => line.stops[line.stops.length - 1].tokens), bytes: largest(line => line.bytes) }
    for (const line of heavy) {
      const last = line.stops[line.stops.length - 1], row = made('tr'), name = made('td'), go = made('a', line.live ? 'HEAD' : safe(last.uuid.slice(0, 8)))
      go.href = `#e${last.entry}`
      name.append(go)
      row.append(name)
      for (const [number, whole] of [[last.tokens, most.tokens], [line.bytes, most.bytes]]) {
        const cell = made('td'), bar = made('meter')
        bar.max = whole
        bar.value = number
        bar.setAttribute('aria-label', amount(number))
        cell.append(bar, ` ${amount(number)}`)
        row.append(cell)
      }
      body.append(row)
    }
  })

  // ---- the start: the place that the address names, or HEAD

  listRows()
  drawTree()
  if (linked() === undefined || !visitEntry(Number(linked()))) {
    const line = lines.find(one => one.live) ?? lines[0]
    if (line) visitEntry(line.stops[line.stops.length - 1].entry)
    else find('talk').textContent = 'This session holds no conversation.'
  }
}
