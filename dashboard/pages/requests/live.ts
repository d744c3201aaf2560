import { useEffect, useMemo, useRef, useState } from 'react';
import { addressOf, call } from '../../api/client.ts';
import type { Request } from '../../api/schema.ts';
import { type Listed, useList } from '../../api/use-api.ts';
import type { FiltersInUse, RequestQuery } from './filters.ts';

const PAGE = 200;
/** How many requests are checked after a gap; if there may be more, the list is read again. */
const CHECKED = 100;
/** The limit of new rows; beyond it the list is read again. */
const MOST_NEW = 5_000;
const POLL_MS = 20_000;
const WAIT_MS = 250;

/** `off`: the filters end in the past; `polling`: the gateway accepts no more live views. */
export type LiveState = 'off' | 'connecting' | 'live' | 'polling';

export interface LiveRows extends Listed<Request> {
  readonly state: LiveState;
  /** The number of new rows that are not shown yet. */
  readonly waiting: number;
  showWaiting(): void;
}

/** Returns the request log with new rows on top. While `isHeld`, new rows wait. A component must use it for one query only. */
export function useLiveRows({ query, isOpenEnded }: FiltersInUse, isHeld: boolean): LiveRows {
  const list = useList('listRequests', { query }, { limit: PAGE, isStill: true });
  const [fresh, setFresh] = useState<readonly Request[]>([]);
  const [waiting, setWaiting] = useState<readonly Request[]>([]);
  const known = useMemo(() => new Set(list.items.map(({ id }) => id)), [list.items]);
  const showWaiting = () => {
    setFresh([...waiting, ...fresh].slice(0, MOST_NEW));
    setWaiting([]);
  };
  const restart = () => {
    setFresh([]);
    setWaiting([]);
    list.restart();
  };
  const add = (rows: readonly Request[]) => {
    const put = isHeld ? setWaiting : setFresh;
    put((before) => [...rows, ...before].slice(0, MOST_NEW));
  };
  const isKnown = (id: string) => known.has(id) || [...fresh, ...waiting].some((row) => row.id === id);
  const isReady = !list.isLoading && list.error === null;
  // Rows further down are read on the way there.
  const oldest = list.items.at(-1)?.at ?? '9';
  const isReached = ({ at }: Request) => !list.hasMore || at >= oldest;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever has made it possible to show them.
  useEffect(() => {
    if (!isHeld && waiting.length > 0) showWaiting();
  }, [isHeld, waiting]);
  const state = useStream(isOpenEnded ? query : null, { isReady, isReached, isKnown, add, restart });
  const items = useMemo(() => withoutTwins(fresh, list.items), [fresh, list.items]);
  return { ...list, restart, items, state, waiting: waiting.length, showWaiting };
}

/** Removes duplicates: a page that is read later may contain rows that arrived live. */
function withoutTwins(fresh: readonly Request[], listed: readonly Request[]): readonly Request[] {
  if (fresh.length === 0) return listed;
  const ids = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...listed.filter(({ id }) => !ids.has(id))];
}

interface Sink {
  /** Whether the list has been read. */
  readonly isReady: boolean;
  /** Returns whether the row falls within the part of the list that has been read. */
  isReached(row: Request): boolean;
  isKnown(id: string): boolean;
  /** Adds rows, the newest first. */
  add(rows: readonly Request[]): void;
  restart(): void;
}

/** Listens while the page is visible; polls if the gateway refuses to stream. */
function useStream(query: RequestQuery | null, sink: Sink): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const to = useRef(sink);
  to.current = sink;
  useEffect(() => {
    if (query === null) return setState('off');
    setState('connecting');
    const listening = new Listening(query, to, setState);
    const turn = () => (document.hidden ? listening.rest() : listening.start());
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      listening.rest();
    };
  }, [query]);
  return state;
}

class Listening {
  private source: EventSource | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;
  private round = 0;

  constructor(
    private readonly query: RequestQuery,
    private readonly sink: { readonly current: Sink },
    private readonly tell: (state: LiveState) => void,
  ) {}

  start(): void {
    if (this.source !== null) return;
    const source = new EventSource(addressOf('watchRequests', { query: this.query }));
    this.source = source;
    source.addEventListener('open', () => {
      this.tell('live');
      // Catches up on rows between the reading of the list and now.
      void this.check();
    });
    source.addEventListener('request', ({ data }: MessageEvent<string>) => this.take([JSON.parse(data)]));
    source.addEventListener('skipped', () => this.sink.current.restart());
    source.addEventListener('end', ({ data }: MessageEvent<string>) => {
      // Otherwise the browser reconnects by itself.
      if (JSON.parse(data).reason === 'not_allowed') this.poll();
    });
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) this.poll();
      else this.tell('connecting');
    });
  }

  rest(): void {
    this.round++;
    this.source?.close();
    this.source = null;
    clearInterval(this.timer);
  }

  private poll(): void {
    this.source?.close();
    this.tell('polling');
    clearInterval(this.timer);
    this.timer = setInterval(() => void this.check(), POLL_MS);
    void this.check();
  }

  /** Adds rows, the newest first; returns how many were new. */
  private take(rows: readonly Request[]): number {
    const { isKnown, add } = this.sink.current;
    const news = rows.filter(({ id }) => !isKnown(id));
    if (news.length > 0) add(news);
    return news.length;
  }

  private async check(): Promise<void> {
    const { round } = this;
    while (!this.sink.current.isReady) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      if (round !== this.round) return;
    }
    try {
      const { data, has_more } = await call('listRequests', { query: { ...this.query, limit: CHECKED } });
      if (round !== this.round) return;
      const reached = data.filter((row) => this.sink.current.isReached(row));
      const isGap = reached.length === data.length && has_more && data.length > 0;
      if (this.take(reached) === data.length && isGap) this.sink.current.restart();
    } catch {
      // The next check retries; the list itself shows errors.
    }
  }
}
