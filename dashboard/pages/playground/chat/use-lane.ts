import { useCallback, useEffect, useRef, useState } from 'react';
import type { Payer } from '../wire/call.ts';
import { ask } from './ask.ts';
import type { AnswerTurn, Asked, FormatId, ToolResult, Turn, UserTurn } from './conversation.ts';

/** The interval between redraws of a stream. */
const DRAW_EVERY_MS = 50;

export interface LaneSettings {
  readonly format: FormatId;
  readonly payer: Payer;
  readonly asked: Omit<Asked, 'turns'>;
}

/** One model's conversation. */
export interface Lane {
  readonly turns: readonly Turn[];
  readonly isBusy: boolean;
  /** Whether the model waits for the results of the last answer's calls. */
  readonly isWaitingForTools: boolean;
  send(turn: UserTurn, settings: LaneSettings): void;
  sendResults(results: readonly ToolResult[], settings: LaneSettings): void;
  /** Requests the last answer again. */
  again(settings: LaneSettings): void;
  stop(): void;
  clear(): void;
}

export function useLane(first: readonly Turn[], onChange: (turns: readonly Turn[]) => void): Lane {
  const [turns, setTurns] = useState(first);
  const running = useRef<AbortController>(undefined);
  const [isBusy, setIsBusy] = useState(false);
  const kept = useRef(onChange);
  kept.current = onChange;
  // Stops an answer that is no longer visible, which would still be charged.
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(async (asked: readonly Turn[], settings: LaneSettings) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setIsBusy(true);
    const show = drawer((draft: AnswerTurn) => setTurns([...asked, draft]));
    setTurns(asked);
    kept.current(asked);
    const { format, payer } = settings;
    const answer = await ask({
      ...{ asked: { ...settings.asked, turns: asked }, format, payer },
      ...{ signal: controller.signal, onDraft: show.later },
    });
    show.cancel();
    // Another answer may have started, or the conversation was cleared.
    if (running.current !== controller) return;
    running.current = undefined;
    const ended = [...asked, answer];
    setTurns(ended);
    kept.current(ended);
    setIsBusy(false);
  }, []);

  const last = turns.at(-1);
  return {
    turns,
    isBusy,
    isWaitingForTools: !isBusy && last?.role === 'answer' && last.calls.length > 0,
    send: (turn, settings) => void run([...turns, turn], settings),
    sendResults: (results, settings) => void run([...turns, { role: 'tool', results }], settings),
    again: (settings) => void run(last?.role === 'answer' ? turns.slice(0, -1) : turns, settings),
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      running.current = undefined;
      setTurns([]);
      setIsBusy(false);
      kept.current([]);
    },
  };
}

/** Limits redraws: a fast model sends hundreds of events a second. */
function drawer<Value>(draw: (value: Value) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest: Value;
  return {
    later: (value: Value) => {
      newest = value;
      timer ??= setTimeout(() => {
        timer = undefined;
        draw(newest);
      }, DRAW_EVERY_MS);
    },
    cancel: () => clearTimeout(timer),
  };
}
