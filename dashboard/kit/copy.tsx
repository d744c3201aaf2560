import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button, type ButtonSize, IconButton } from './button.tsx';
import { cx, inputClass } from './classes.ts';

type CopyState = 'idle' | 'copied' | 'failed';

/** Returns a function that copies the text, and a state that shows for two seconds whether it worked. */
export function useCopy(text: string): { readonly state: CopyState; copy(): Promise<boolean> } {
  const [state, setState] = useState<CopyState>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const isCopied = await toClipboard(text);
    setState(isCopied ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), 2_000);
    return isCopied;
  };
  return { state, copy };
}

/** Falls back to the old command, since browsers have no clipboard API without TLS. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    // Placed inside an open dialog, which would take the focus back from anywhere else.
    const host = document.activeElement?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body;
    const before = document.activeElement;
    host.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return isCopied;
  }
}

function Said({ state }: { readonly state: CopyState }) {
  const text = useText(kitText);
  return (
    <span role="status" className="sr-only">
      {state === 'copied' ? text.copied : state === 'failed' ? text.copyFailed : ''}
    </span>
  );
}

export interface CopyButtonProps {
  readonly text: string;
  /** A text on the button; without one it is an icon. */
  readonly label?: string;
  readonly size?: ButtonSize;
  readonly onCopied?: (() => void) | undefined;
}

export function CopyButton({ text, label, size = 'small', onCopied }: CopyButtonProps) {
  const words = useText(kitText);
  const { state, copy } = useCopy(text);
  const icon = state === 'copied' ? Check : Copy;
  const said = state === 'copied' ? words.copied : state === 'failed' ? words.copyFailed : undefined;
  const press = async () => {
    if (await copy()) onCopied?.();
  };
  return (
    <>
      {label === undefined ? (
        <IconButton label={said ?? words.copy} icon={icon} size={size} onClick={() => void press()} />
      ) : (
        <Button icon={icon} size={size} onClick={() => void press()}>
          {state === 'copied' ? words.copied : label}
        </Button>
      )}
      <Said state={state} />
    </>
  );
}

/** A short id that is copied when pressed. */
export function CopyText({ text, label }: { readonly text: string; readonly label?: string }) {
  const words = useText(kitText);
  const { state, copy } = useCopy(text);
  const Icon = state === 'copied' ? Check : Copy;
  return (
    <>
      <button
        type="button"
        title={label ?? words.copy}
        onClick={() => void copy()}
        className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-sm px-1 font-mono text-xs hover:bg-hover hover:text-text"
      >
        <span className="truncate">{text}</span>
        <Icon aria-hidden className="size-3 shrink-0" />
        <span className="sr-only">{label ?? words.copy}</span>
      </button>
      <Said state={state} />
    </>
  );
}

export interface CopyFieldProps {
  readonly value: string;
  readonly label: string;
}

/** A value to take elsewhere: a click selects it, the button copies it. */
export function CopyField({ value, label }: CopyFieldProps) {
  return (
    <div className="flex min-w-0 items-center gap-1">
      <input
        readOnly
        aria-label={label}
        value={value}
        onFocus={(event) => event.currentTarget.select()}
        className={cx(inputClass, 'font-mono')}
      />
      <CopyButton text={value} size="normal" />
    </div>
  );
}

export interface CodeBlockProps {
  readonly code: string;
  readonly language: 'shell' | 'python' | 'typescript' | 'json' | 'toml' | 'text';
  readonly title?: ReactNode;
}

const LANGUAGES: Readonly<Record<CodeBlockProps['language'], string>> = {
  shell: 'Shell',
  python: 'Python',
  typescript: 'TypeScript',
  json: 'JSON',
  toml: 'TOML',
  text: '',
};

export function CodeBlock({ code, language, title }: CodeBlockProps) {
  const name = title ?? LANGUAGES[language];
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-line border-b py-0.5 pr-1 pl-3 text-soft text-xs">
        <span className="min-w-0 truncate">{name}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto px-3 py-2 font-mono text-xs leading-relaxed focus-visible:outline-offset-[-2px]"
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
