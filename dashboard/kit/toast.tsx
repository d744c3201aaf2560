import { Toast as Base } from '@base-ui/react/toast';
import { CircleCheck, CircleX, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { ApiError } from '../api/client.ts';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button, IconButton } from './button.tsx';
import { ErrorFacts, useErrorTitle } from './status.tsx';

export interface Undo {
  readonly label: string;
  run(): Promise<unknown> | undefined;
}

interface ToastFacts {
  readonly error?: Error;
  readonly undo?: Undo;
}

export interface Toasts {
  /** Reports success. Disappears by itself; one with an undo stays longer. */
  done(text: string, undo?: Undo): void;
  /** Reports a failure. Stays until it is closed. */
  failed(error: Error): void;
}

const DONE_MS = 5_000;
const UNDO_MS = 12_000;

export function useToast(): Toasts {
  const { add } = Base.useToastManager<ToastFacts>();
  const titleOf = useErrorTitle();
  return useMemo(
    () => ({
      done: (text, undo) => {
        add({ title: text, timeout: undo ? UNDO_MS : DONE_MS, data: { ...(undo && { undo }) } });
      },
      failed: (error) => {
        add({ title: titleOf(error), timeout: 0, priority: 'high', data: { error } });
      },
    }),
    [add, titleOf],
  );
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const text = useText(kitText);
  return (
    <Base.Provider limit={4}>
      {children}
      <Base.Portal>
        <Base.Viewport
          aria-label={text.notices}
          className="not-printed fixed top-3 left-3 z-60 flex w-[calc(100vw-1.5rem)] flex-col gap-2 outline-none sm:top-auto sm:bottom-3 sm:w-96"
        >
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function List() {
  const text = useText(kitText);
  const { toasts, close } = Base.useToastManager<ToastFacts>();
  const { failed } = useToast();
  const undoNow = async (id: string, undo: Undo) => {
    close(id);
    try {
      await undo.run();
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return toasts.map((toast) => {
    const { error, undo } = toast.data ?? {};
    const Icon = error ? CircleX : CircleCheck;
    return (
      <Base.Root
        key={toast.id}
        toast={toast}
        swipeDirection="right"
        className="rounded-lg border border-line bg-panel text-text shadow-pop transition-[opacity,translate] duration-200 data-ending-style:translate-x-4 data-limited:hidden data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0"
      >
        <Base.Content className="flex items-start gap-2.5 p-3">
          <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${error ? 'text-bad' : 'text-good'}`} />
          <div className="min-w-0 flex-1 text-sm">
            <Base.Title render={<p />} className="break-words font-medium" />
            {error instanceof ApiError && error.hint !== null && <p className="break-words">{error.hint}</p>}
            {error instanceof ApiError && <ErrorFacts error={error} />}
          </div>
          {undo && (
            <Button size="small" onClick={() => void undoNow(toast.id, undo)}>
              {undo.label}
            </Button>
          )}
          {/* Base UI hides this button from assistive technology until the notices have the focus, although it can be reached by keyboard. */}
          <Base.Close
            aria-hidden={false}
            render={<IconButton label={text.close} icon={X} size="small" />}
            className="-my-0.5 -mr-1"
          />
        </Base.Content>
      </Base.Root>
    );
  });
}
