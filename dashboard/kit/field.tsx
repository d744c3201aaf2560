import { Field as Base } from '@base-ui/react/field';
import { CircleAlert, Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, createContext, type ReactNode, useContext, useId, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { cx, inputClass } from './classes.ts';

interface FieldFacts {
  /** Undefined outside of a field, where the control needs its own label. */
  readonly labelId: string | undefined;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
}

const FieldContext = createContext<FieldFacts>({ labelId: undefined, isRequired: false, isInvalid: false });

/** Returns the facts of the surrounding field. */
export function useField(): FieldFacts {
  return useContext(FieldContext);
}

export interface FieldProps {
  readonly label: ReactNode;
  readonly help?: ReactNode;
  /** The error message: shown, associated with the control, and announced when it appears. */
  readonly error?: ReactNode;
  readonly isRequired?: boolean;
  /** Whether the label is only for screen readers. */
  readonly isLabelHidden?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A control with its label, help and error, all associated. */
export function Field({ label, help, error, isRequired = false, isLabelHidden, className, children }: FieldProps) {
  const text = useText(kitText);
  const labelId = useId();
  const isInvalid = error !== undefined && error !== null && error !== false && error !== '';
  return (
    <FieldContext value={{ labelId, isRequired, isInvalid }}>
      <Base.Root invalid={isInvalid} className={cx('flex min-w-0 flex-col gap-1', className)}>
        <Base.Label id={labelId} className={cx('w-fit font-medium text-sm', isLabelHidden && 'sr-only')}>
          {label}
          {isRequired && (
            <span className="ml-1 text-bad" title={text.required}>
              <span aria-hidden>*</span>
              <span className="sr-only">({text.required})</span>
            </span>
          )}
        </Base.Label>
        {children}
        {help !== undefined && <Base.Description className="text-soft text-xs">{help}</Base.Description>}
        <div aria-live="polite" className="empty:-mt-1">
          {isInvalid && (
            <Base.Error match className="flex items-start gap-1 text-bad text-xs">
              <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
              <span className="min-w-0 break-words">{error}</span>
            </Base.Error>
          )}
        </div>
      </Base.Root>
    </FieldContext>
  );
}

export interface TextInputProps extends ComponentProps<'input'> {
  /** For ids, addresses and patterns. */
  readonly isCode?: boolean;
}

export function TextInput({ className, isCode = false, ...rest }: TextInputProps) {
  const { isRequired } = useField();
  return (
    <Base.Control
      type="text"
      autoComplete="off"
      aria-required={isRequired || undefined}
      {...(isCode && { spellCheck: false, autoCapitalize: 'off' })}
      {...rest}
      className={cx(inputClass, isCode && 'font-mono', className)}
    />
  );
}

export interface TextAreaProps extends ComponentProps<'textarea'> {
  readonly isCode?: boolean;
}

export function TextArea({ className, isCode = false, rows = 4, ref, ...rest }: TextAreaProps) {
  const { isRequired } = useField();
  const inner = (
    <textarea
      rows={rows}
      aria-required={isRequired || undefined}
      {...(isCode && { spellCheck: false })}
      {...rest}
      ref={ref}
    />
  );
  return <Base.Control render={inner} className={cx(inputClass, 'resize-y', isCode && 'font-mono', className)} />;
}

export interface NumberInputProps extends ComponentProps<'input'> {
  /** Whether only whole numbers are allowed: the phone's keyboard then has no decimal point. */
  readonly isWhole?: boolean;
  /** Shown in front, such as `$`. */
  readonly prefix?: string;
  /** Shown behind, such as `ms`. */
  readonly unit?: string;
}

/** A decimal number that stays text: money never passes through a float. */
export function NumberInput({ isWhole = false, prefix, unit, className, ...rest }: NumberInputProps) {
  const { isRequired } = useField();
  const input = (
    <Base.Control
      type="text"
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      aria-required={isRequired || undefined}
      {...rest}
      className={cx(inputClass, 'numbers', prefix !== undefined && 'pl-7', unit !== undefined && 'pr-14', className)}
    />
  );
  if (prefix === undefined && unit === undefined) return input;
  return (
    <span className="relative block">
      {prefix !== undefined && <Affix className="left-2.5">{prefix}</Affix>}
      {input}
      {unit !== undefined && <Affix className="right-2.5">{unit}</Affix>}
    </span>
  );
}

function Affix({ className, children }: { readonly className: string; readonly children: string }) {
  return (
    <span className={cx('pointer-events-none absolute inset-y-0 flex items-center text-soft text-sm', className)}>
      {children}
    </span>
  );
}

/** A secret that is typed; a button shows it. */
export function PasswordInput({ className, ...rest }: ComponentProps<'input'>) {
  const text = useText(kitText);
  const { isRequired } = useField();
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <span className="relative block">
      <Base.Control
        autoComplete="current-password"
        spellCheck={false}
        autoCapitalize="off"
        aria-required={isRequired || undefined}
        {...rest}
        type={isShown ? 'text' : 'password'}
        className={cx(inputClass, 'pr-10', className)}
      />
      <button
        type="button"
        aria-label={isShown ? text.hidePassword : text.showPassword}
        title={isShown ? text.hidePassword : text.showPassword}
        onClick={() => setIsShown(!isShown)}
        className="absolute inset-y-0.5 right-0.5 flex w-8 items-center justify-center rounded-sm text-soft hover:text-text"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </span>
  );
}
