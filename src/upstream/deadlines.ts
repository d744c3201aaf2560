import type { Failure } from '../domain/failure/failure.ts';

/** An operation with a time limit. */
export interface Watched {
  /** On the monotonic clock. Moving it earlier requires a call of `moved`; moving it later is only an assignment. */
  deadlineMs: number;
  /** Called once the deadline has passed; the owner may set a later one and stay watched. */
  onDeadline(nowMs: number): void;
  /** Ends the operation with this failure. */
  cut(verdict: Failure): void;
  /** The slot of the entry; `UNWATCHED` at first. This and the following members belong to the watch. */
  slot: number;
  /** When the entry is checked next. */
  dueMs: number;
  before: Watched | null;
  after: Watched | null;
}

export const UNWATCHED = -1;

const TICK_MS = 25;
/**
 * The slots of each wheel: those of the first are one tick each (6.4 s in all), those of the second one turn of the first each (27
 * minutes).
 */
const SLOTS = 256;
/** When a turn comes this late, answers may have arrived that were not read yet. */
const LATE_MS = 250;

/**
 * A timer wheel for all deadlines, advanced every 25 ms while there are any. An entry is in the slot of its deadline and is checked only
 * when that slot comes up, so distant deadlines cost nothing meanwhile. An entry whose deadline has moved is then put into its new slot,
 * since a stream moves its deadline with each piece.
 */
export class DeadlineWatch {
  /** The first entry of each slot; the slots of ticks, followed by those of turns. */
  private readonly firsts: (Watched | null)[] = Array.from({ length: 2 * SLOTS }, () => null);
  /** The last tick that was swept. */
  private tick = 0;
  private turnedAtMs = 0;
  private isLeftOut = false;
  private count = 0;
  private timer: ReturnType<typeof setInterval> | null = null;

  add(entry: Watched): void {
    if (this.timer === null) this.sweepLater();
    this.count++;
    this.place(entry, this.tick + 1);
  }

  /** Reschedules an entry whose deadline may be earlier than before. */
  moved(entry: Watched): void {
    if (entry.slot === UNWATCHED || entry.deadlineMs >= entry.dueMs) return;
    this.unlink(entry);
    this.place(entry, this.tick + 1);
  }

  delete(entry: Watched): void {
    if (entry.slot === UNWATCHED) return;
    this.count--;
    this.unlink(entry);
  }

  cutAll(verdict: Failure): void {
    const all: Watched[] = [];
    for (const first of this.firsts) for (let entry = first; entry !== null; entry = entry.after) all.push(entry);
    for (const entry of all) entry.cut(verdict);
  }

  // A separate method, because a function that contains a closure allocates its captured variables on every call.
  private sweepLater(): void {
    this.turnedAtMs = performance.now();
    this.tick = Math.floor(this.turnedAtMs / TICK_MS);
    this.timer = setInterval(() => this.turn(performance.now()), TICK_MS);
  }

  /**
   * Skips a late turn, though never two in a row: after the process was suspended, timers fire before the data that arrived meanwhile is
   * read.
   */
  private turn(nowMs: number): void {
    this.isLeftOut = !this.isLeftOut && nowMs - this.turnedAtMs > LATE_MS;
    this.turnedAtMs = nowMs;
    if (!this.isLeftOut) this.sweep(nowMs);
  }

  private sweep(nowMs: number): void {
    if (this.count === 0) {
      if (this.timer) clearInterval(this.timer);
      this.timer = null;
      return;
    }
    const last = Math.floor(nowMs / TICK_MS);
    while (this.tick < last) {
      this.tick++;
      if (this.tick % SLOTS === 0) this.spread(SLOTS + ((this.tick / SLOTS) % SLOTS));
      this.fire(this.tick % SLOTS, nowMs);
    }
  }

  /** Distributes the entries of a slot of turns over the ticks of that turn. */
  private spread(slot: number): void {
    for (let entry = this.firsts[slot] ?? null; entry !== null; entry = this.firsts[slot] ?? null) {
      this.unlink(entry);
      this.place(entry, this.tick);
    }
  }

  private fire(slot: number, nowMs: number): void {
    for (let entry = this.firsts[slot] ?? null; entry !== null; entry = this.firsts[slot] ?? null) {
      this.unlink(entry);
      this.place(entry, this.tick + 1);
      if (nowMs < entry.deadlineMs) continue;
      entry.onDeadline(nowMs);
      // Otherwise the entry would stay in the next tick's slot although its deadline is far away.
      if (entry.slot !== UNWATCHED && entry.deadlineMs > entry.dueMs) {
        this.unlink(entry);
        this.place(entry, this.tick + 1);
      }
    }
  }

  /** Puts an entry into the slot of its deadline, or of the `earliest` tick if that is later. */
  private place(entry: Watched, earliest: number): void {
    const due = Math.max(Math.ceil(entry.deadlineMs / TICK_MS), earliest);
    if (due - this.tick < SLOTS) {
      entry.dueMs = due * TICK_MS;
      this.link(entry, due % SLOTS);
      return;
    }
    // An entry beyond one turn of the second wheel is checked earlier and placed again.
    const turn = Math.min(Math.floor(due / SLOTS), Math.floor(this.tick / SLOTS) + SLOTS - 1);
    entry.dueMs = turn * SLOTS * TICK_MS;
    this.link(entry, SLOTS + (turn % SLOTS));
  }

  private link(entry: Watched, slot: number): void {
    const first = this.firsts[slot] ?? null;
    entry.slot = slot;
    entry.before = null;
    entry.after = first;
    if (first !== null) first.before = entry;
    this.firsts[slot] = entry;
  }

  private unlink(entry: Watched): void {
    const { before, after } = entry;
    if (before === null) this.firsts[entry.slot] = after;
    else before.after = after;
    if (after !== null) after.before = before;
    entry.slot = UNWATCHED;
    entry.before = null;
    entry.after = null;
  }
}
