import type { Failure } from '../domain/failure/failure.ts';

/** Something with a time limit. */
export interface Watched {
  /** On the monotonic clock. Who makes it earlier says so to the watch (`moved`); later is an assignment and nothing else. */
  deadlineMs: number;
  /** Called once the deadline has passed; the owner may set a later one and stay watched. */
  onDeadline(nowMs: number): void;
  /** Ends it with this failure. */
  cut(verdict: Failure): void;
  /** The watch's own, as are the others: where it stands; `UNWATCHED` at first. */
  slot: number;
  /** When it is looked at next. */
  dueMs: number;
  before: Watched | null;
  after: Watched | null;
}

export const UNWATCHED = -1;

const TICK_MS = 25;
/** Of the wheel whose slots are a tick each (6.4 s), and of the one whose slots are a turn of the first each (27 minutes). */
const SLOTS = 256;
/** A turn so long after the last one finds answers that have arrived and were not read yet. */
const LATE_MS = 250;

/**
 * A timer wheel for all deadlines, turned every 25 ms while there are any. An entry stands in the slot of its deadline, and is looked at
 * when that comes: what waits for something far away costs nothing meanwhile, however much of it there is. One whose deadline has moved
 * on is put into its new slot then, since a stream moves its own with each piece.
 */
export class DeadlineWatch {
  /** The first entry of each slot; the wheel of ticks, and after it the one of turns. */
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

  /** The deadline of the entry may be earlier than it was. */
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

  // By itself, since a function with a closure in it makes room for what that captures whenever it is called.
  private sweepLater(): void {
    this.turnedAtMs = performance.now();
    this.tick = Math.floor(this.turnedAtMs / TICK_MS);
    this.timer = setInterval(() => this.turn(performance.now()), TICK_MS);
  }

  /**
   * A process that was stopped finds its timers due before it has read what has arrived meanwhile, so it reads first: a turn that comes
   * late is left out, though never two in a row.
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

  /** A slot of turns has come: its entries go to the ticks of that turn. */
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
      // Else it stands in the next tick's slot, although it may have all the time of the world.
      if (entry.slot !== UNWATCHED && entry.deadlineMs > entry.dueMs) {
        this.unlink(entry);
        this.place(entry, this.tick + 1);
      }
    }
  }

  /** Into the slot of its deadline, or of this tick where that is later. */
  private place(entry: Watched, earliest: number): void {
    const due = Math.max(Math.ceil(entry.deadlineMs / TICK_MS), earliest);
    if (due - this.tick < SLOTS) {
      entry.dueMs = due * TICK_MS;
      this.link(entry, due % SLOTS);
      return;
    }
    // What is farther away than a turn of the second wheel is looked at before that and put on again.
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
