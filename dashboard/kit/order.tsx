import { GripVertical } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { cx } from './classes.ts';

export interface OrderItem {
  readonly id: string;
  /** Its name within a sentence, announced while it moves. */
  readonly name: string;
  readonly node: ReactNode;
}

export interface OrderListProps {
  readonly items: readonly OrderItem[];
  /** Called with the new order and the moved id once an entry is dropped at another place. */
  readonly onOrder: (ids: string[], moved: string) => void;
  readonly label: string;
}

interface Lifted {
  readonly id: string;
  readonly order: readonly string[];
}

/** A list that can be reordered by mouse, touch and keyboard. */
export function OrderList({ items, onOrder, label }: OrderListProps) {
  const text = useText(kitText);
  const helpId = useId();
  const list = useRef<HTMLOListElement>(null);
  const dropped = useRef<string>(undefined);
  const [lifted, setLifted] = useState<Lifted>();
  const [said, setSaid] = useState('');
  const ids = items.map(({ id }) => id);
  const order = lifted?.order ?? ids;
  const byId = new Map(items.map((item) => [item.id, item]));
  const nameOf = (id: string) => byId.get(id)?.name ?? id;
  const lift = (id: string) => {
    setLifted({ id, order: ids });
    setSaid(text.movePicked(nameOf(id), ids.indexOf(id) + 1, ids.length));
  };
  const move = (place: number) => {
    if (!lifted || place < 0 || place >= order.length || order[place] === lifted.id) return;
    setLifted({ ...lifted, order: order.filter((id) => id !== lifted.id).toSpliced(place, 0, lifted.id) });
    setSaid(text.moved(nameOf(lifted.id), place + 1, order.length));
  };
  const drop = () => {
    if (!lifted) return;
    setLifted(undefined);
    dropped.current = lifted.id;
    setSaid(text.moveDropped(nameOf(lifted.id), order.indexOf(lifted.id) + 1, order.length));
    if (order.some((id, place) => id !== ids[place])) onOrder([...order], lifted.id);
  };
  const cancel = () => {
    if (!lifted) return;
    setLifted(undefined);
    setSaid(text.moveCancelled(nameOf(lifted.id)));
  };
  const orderKey = ids.join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each new order the focus goes back to what was moved
  useEffect(() => {
    if (document.activeElement !== document.body || dropped.current === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-handle="${CSS.escape(dropped.current)}"]`)?.focus();
  }, [orderKey]);
  const handle = { lifted, order, list, lift, move, drop, cancel, helpId };
  return (
    <div className="min-w-0">
      <ol ref={list} aria-label={label} className="flex flex-col gap-1.5">
        {/* Until the drop only the appearance changes: an element that moves in the document loses focus and pointer. */}
        {ids.map((id) => (
          <li
            key={id}
            style={{ order: order.indexOf(id) }}
            className={cx(
              'flex min-w-0 items-center gap-2 rounded-md border bg-panel py-1 pr-3 pl-1',
              lifted?.id === id ? 'border-accent shadow-pop' : 'border-line',
            )}
          >
            <Handle {...handle} id={id} name={nameOf(id)} />
            <div className="min-w-0 flex-1">{byId.get(id)?.node}</div>
          </li>
        ))}
      </ol>
      <p id={helpId} hidden>
        {text.moveHelp}
      </p>
      <span role="status" aria-live="assertive" className="sr-only">
        {said}
      </span>
    </div>
  );
}

interface HandleProps {
  readonly id: string;
  readonly name: string;
  readonly helpId: string;
  readonly lifted: Lifted | undefined;
  readonly order: readonly string[];
  readonly list: { readonly current: HTMLOListElement | null };
  readonly lift: (id: string) => void;
  readonly move: (place: number) => void;
  readonly drop: () => void;
  readonly cancel: () => void;
}

function Handle({ id, name, helpId, lifted, order, list, lift, move, drop, cancel }: HandleProps) {
  const text = useText(kitText);
  const isLifted = lifted?.id === id;
  const onKeyDown = (event: KeyboardEvent) => {
    const place = order.indexOf(id);
    const act: Readonly<Record<string, () => void>> = isLifted
      ? {
          ' ': drop,
          Enter: drop,
          Escape: cancel,
          ArrowUp: () => move(place - 1),
          ArrowDown: () => move(place + 1),
          Home: () => move(0),
          End: () => move(order.length - 1),
        }
      : { ' ': () => lift(id), Enter: () => lift(id) };
    const run = act[event.key];
    if (!run) return;
    event.preventDefault();
    // Escape would close the dialog around the list.
    event.stopPropagation();
    run();
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!isLifted || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const boxes = [...(list.current?.children ?? [])].map((line) => line.getBoundingClientRect());
    const bottoms = boxes.map(({ bottom }) => bottom).sort((one, other) => one - other);
    const place = bottoms.findIndex((bottom) => event.clientY < bottom);
    move(place === -1 ? order.length - 1 : place);
  };
  return (
    <button
      type="button"
      data-handle={id}
      aria-label={text.moveHandle(name)}
      aria-describedby={helpId}
      aria-pressed={isLifted}
      onKeyDown={onKeyDown}
      onBlur={isLifted ? drop : undefined}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        lift(id);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={drop}
      onPointerCancel={cancel}
      className="flex size-7 shrink-0 cursor-grab touch-none items-center justify-center rounded-sm text-soft hover:bg-hover hover:text-text active:cursor-grabbing"
    >
      <GripVertical aria-hidden className="size-4" />
    </button>
  );
}
