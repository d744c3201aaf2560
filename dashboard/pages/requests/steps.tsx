import { ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../kit/button.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';

export interface StepsProps {
  /** The request whose details are open. */
  readonly id: string;
  /** The requests of the list, in its order. */
  readonly ids: readonly string[];
  /** Shows the details of another request. */
  readonly onStep: (id: string) => void;
}

/** Steps through the list while the details are open: by buttons, or with the keys J and K as in a mail program. */
export function Steps({ id, ids, onStep }: StepsProps) {
  const text = useText(requestsText);
  const place = ids.indexOf(id);
  const previous = ids[place - 1];
  // A request that is not in the list has no neighbours.
  const next = place < 0 ? undefined : ids[place + 1];
  const step = (to: string | undefined) => to !== undefined && onStep(to);
  useKeys({ j: () => step(next), k: () => step(previous) });
  return (
    <span className="flex gap-1">
      <IconButton
        size="small"
        icon={ChevronUp}
        label={text.previous}
        aria-keyshortcuts="k"
        aria-disabled={previous === undefined}
        onClick={() => step(previous)}
      />
      <IconButton
        size="small"
        icon={ChevronDown}
        label={text.next}
        aria-keyshortcuts="j"
        aria-disabled={next === undefined}
        onClick={() => step(next)}
      />
    </span>
  );
}

/** Calls the action of a key that is pressed alone and outside of a text field. */
function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const now = useRef(actions);
  now.current = actions;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, isComposing } = event;
      const isTyped =
        target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
      if (ctrlKey || metaKey || altKey || isComposing || isTyped) return;
      const { current } = now;
      if (Object.hasOwn(current, key)) current[key]?.();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
