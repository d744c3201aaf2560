import { useCallback, useEffect, useRef, useState } from 'react';
import { type JsonObject, objectOf, parseJson } from '../../shared/json.ts';
import { type Call, type Facts, factsOf, type Payer, routingIn, send } from '../wire/call.ts';
import { type Failure, failureOf } from '../wire/failure.ts';

/** An answer: a file, JSON, or text. */
export type Result = { readonly file: Blob } | { readonly json: JsonObject } | { readonly text: string };

export interface Run extends Facts {
  readonly id: number;
  readonly operation: string;
  readonly model: string;
  readonly call: Call;
  readonly state: 'running' | 'done' | 'failed' | 'stopped';
  readonly result: Result | null;
  readonly failure: Failure | null;
  readonly totalMs: number | null;
}

/** Older results are dropped, since they hold files. */
const MOST_RUNS = 6;

/** Manages the requests of a tab, the newest first. */
export function useRuns(payer: Payer) {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback(
    async (operation: string, model: string, call: Call) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const began = performance.now();
      const id = began;
      let facts: Facts = { requestId: null, routing: null, losses: [] };
      const change = (rest: Partial<Run>) =>
        setRuns((before) => before.map((run) => (run.id === id ? { ...run, ...facts, ...rest } : run)));
      const first: Run = {
        ...{ id, operation, model, call, state: 'running', result: null, failure: null, totalMs: null },
        ...facts,
      };
      setRuns((before) => [first, ...before].slice(0, MOST_RUNS));
      try {
        const answer = await send(call, payer, controller.signal);
        facts = factsOf(answer.headers);
        const result = await resultOf(answer);
        if ('json' in result) facts = { ...facts, routing: routingIn(result.json._routing) ?? facts.routing };
        change({ state: 'done', result, totalMs: Math.round(performance.now() - began) });
      } catch (error) {
        const totalMs = Math.round(performance.now() - began);
        if (controller.signal.aborted) change({ state: 'stopped', totalMs });
        else change({ state: 'failed', failure: failureOf(error, facts.requestId), totalMs });
      }
    },
    [payer],
  );
  return {
    runs,
    start,
    isBusy: runs[0]?.state === 'running',
    stop: () => running.current?.abort(),
    clear: () => setRuns([]),
  };
}

async function resultOf(answer: Response): Promise<Result> {
  const type = answer.headers.get('content-type') ?? '';
  if (/^(?:audio|video|image|application\/octet-stream)/.test(type)) return { file: await answer.blob() };
  const text = await answer.text();
  return type.startsWith('application/json') ? { json: objectOf(parseJson(text)) } : { text };
}
