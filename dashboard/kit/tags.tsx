import { Field as Base } from '@base-ui/react/field';
import { X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type RefCallback, useRef, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { chipClass, chipRemoveClass, cx, inputClass } from './classes.ts';
import { useField } from './field.tsx';

export interface TagsInputProps {
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  readonly onBlur?: () => void;
  /** The element to focus, for a form that shows its first error. */
  readonly ref?: RefCallback<HTMLElement>;
  /** Required outside of a `Field`. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly isCode?: boolean;
  readonly isDisabled?: boolean;
}

const SEPARATORS = /[\n,]+/;

/** Takes free texts, such as addresses or patterns. A comma, Enter and leaving the field end one; a list may be pasted. */
export function TagsInput(props: TagsInputProps) {
  const { value, onChange, onBlur, ref, label, placeholder, isCode = false, isDisabled = false } = props;
  const text = useText(kitText);
  const { isRequired } = useField();
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLElement>(null);
  const add = (texts: string) => {
    const added = texts.split(SEPARATORS).map((one) => one.trim());
    const next = [...new Set([...value, ...added.filter(Boolean)])];
    setTyped('');
    if (next.length !== value.length) onChange(next);
  };
  const remove = (tag: string) => {
    onChange(value.filter((one) => one !== tag));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also completes a word of a Chinese or Japanese keyboard.
    if (event.nativeEvent.isComposing) return;
    const last = value.at(-1);
    if ((event.key === 'Enter' && typed !== '') || event.key === ',') {
      event.preventDefault();
      add(typed);
    } else if (event.key === 'Backspace' && typed === '' && last !== undefined) remove(last);
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text');
    if (!SEPARATORS.test(pasted)) return;
    event.preventDefault();
    add(typed + pasted);
  };
  return (
    <div
      className={cx(
        inputClass,
        'flex flex-wrap items-center gap-1 px-1 has-focus-visible:outline-2 has-focus-visible:outline-accent has-aria-invalid:border-bad',
      )}
    >
      {value.map((tag) => (
        <Tag key={tag} tag={tag} isCode={isCode} isDisabled={isDisabled} onRemove={() => remove(tag)} />
      ))}
      <Base.Control
        ref={(element: HTMLElement | null) => {
          input.current = element;
          ref?.(element);
        }}
        value={typed}
        disabled={isDisabled}
        autoComplete="off"
        placeholder={value.length === 0 ? (placeholder ?? text.tagsHelp) : ''}
        aria-required={isRequired || undefined}
        {...(label !== undefined && { 'aria-label': label })}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => {
          add(typed);
          onBlur?.();
        }}
        className={cx(
          'min-h-6 min-w-16 flex-1 bg-transparent outline-none placeholder:text-soft',
          isCode && 'font-mono',
        )}
      />
    </div>
  );
}

interface TagProps {
  readonly tag: string;
  readonly isCode: boolean;
  readonly isDisabled: boolean;
  readonly onRemove: () => void;
}

function Tag({ tag, isCode, isDisabled, onRemove }: TagProps) {
  const text = useText(kitText);
  return (
    <span className={cx(chipClass, isCode && 'font-mono')}>
      <span className="min-w-0 truncate">{tag}</span>
      <button
        type="button"
        aria-label={text.remove(tag)}
        disabled={isDisabled}
        onClick={onRemove}
        className={chipRemoveClass}
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
