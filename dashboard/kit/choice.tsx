import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { Slider as BaseSlider } from '@base-ui/react/slider';
import { Check, Minus } from 'lucide-react';
import { type ComponentProps, type ReactNode, type Ref, useId } from 'react';
import { cx } from './classes.ts';
import type { RichOption } from './options.ts';

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'size'> {
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  /** Whether the label is only for screen readers. */
  readonly isLabelHidden?: boolean;
  /** Whether a part of what it represents is chosen. */
  readonly isMixed?: boolean;
  /** Called in addition to `onChange`, which receives the event for `register()`. */
  readonly onCheckedChange?: (isChecked: boolean) => void;
}

/** A native checkbox, so that a form's `register()` works. */
export function Checkbox({ isMixed = false, ...props }: CheckboxProps) {
  const Mark = isMixed ? Minus : Check;
  return (
    <Choice
      {...props}
      control={(input) => (
        <span className="relative flex size-6 shrink-0 items-center justify-center">
          <input
            {...input}
            ref={(box) => {
              if (box) box.indeterminate = isMixed;
              return joinRefs(input.ref, box);
            }}
            type="checkbox"
            className="peer size-4.5 cursor-pointer appearance-none rounded-sm border border-strong-line bg-panel checked:border-accent checked:bg-accent disabled:cursor-not-allowed disabled:opacity-60 indeterminate:border-accent indeterminate:bg-accent"
          />
          <Mark
            aria-hidden
            strokeWidth={3}
            className={cx(
              'pointer-events-none absolute size-3.5 text-on-accent',
              !isMixed && 'invisible peer-checked:visible',
            )}
          />
        </span>
      )}
    />
  );
}

/** Passes the element to the caller's ref. */
function joinRefs<One>(ref: Ref<One> | undefined, element: One | null) {
  if (typeof ref === 'function') return ref(element);
  if (ref) ref.current = element;
  return undefined;
}

export type SwitchProps = Omit<CheckboxProps, 'isMixed'>;

/** A switch that takes effect at once, without another button. */
export function Switch(props: SwitchProps) {
  return (
    <Choice
      {...props}
      control={(input) => (
        <input
          {...input}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a native box says itself whether it is checked
          role="switch"
          className="relative mt-0.5 h-5 w-9 shrink-0 cursor-pointer appearance-none rounded-full border border-strong-line bg-sunken transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-3.5 before:rounded-full before:bg-strong-line before:transition-[translate] before:content-[''] checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-on-accent disabled:cursor-not-allowed disabled:opacity-60"
        />
      )}
    />
  );
}

interface ChoiceProps extends Omit<CheckboxProps, 'isMixed'> {
  readonly control: (input: ComponentProps<'input'>) => ReactNode;
}

function Choice({ label, detail, isLabelHidden, onCheckedChange, onChange, className, control, ...rest }: ChoiceProps) {
  const id = useId();
  const input = {
    ...rest,
    'aria-labelledby': `${id}label`,
    ...(detail !== undefined && { 'aria-describedby': `${id}detail` }),
    onChange: (event: Parameters<NonNullable<typeof onChange>>[0]) => {
      onCheckedChange?.(event.currentTarget.checked);
      return onChange?.(event);
    },
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is drawn by the caller
    <label className={cx('flex min-h-6 w-fit items-start gap-2 text-sm has-enabled:cursor-pointer', className)}>
      {control(input)}
      <span className={isLabelHidden ? 'sr-only' : 'min-w-0 pt-0.5'}>
        <span id={`${id}label`} className="block break-words">
          {label}
        </span>
        {detail !== undefined && (
          <span id={`${id}detail`} className="block text-soft text-xs">
            {detail}
          </span>
        )}
      </span>
    </label>
  );
}

interface OneOf<Value extends string> {
  readonly value: Value | undefined;
  readonly onChange: (value: Value) => void;
  readonly options: readonly RichOption<Value>[];
  /** Required outside of a `Field`. */
  readonly label?: string;
  readonly isDisabled?: boolean;
}

/** A choice of a few options that each need a sentence. */
export function RadioCards<Value extends string>({ value, onChange, options, label, isDisabled }: OneOf<Value>) {
  const id = useId();
  return (
    <RadioGroup
      value={value ?? null}
      onValueChange={(next) => next !== null && onChange(next)}
      disabled={isDisabled}
      {...(label !== undefined && { 'aria-label': label })}
      // Three in a row would leave a gap.
      className={cx('grid gap-2', options.length % 2 === 0 && 'sm:grid-cols-[repeat(auto-fit,minmax(14rem,1fr))]')}
    >
      {options.map((option) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the radio button of Base UI is the control
        <label
          key={option.value}
          className="flex cursor-pointer gap-2.5 rounded-lg border border-strong-line bg-panel p-3 has-data-checked:border-accent has-data-checked:bg-accent-ground has-data-disabled:cursor-not-allowed has-data-disabled:opacity-60"
        >
          <Radio.Root
            value={option.value}
            disabled={option.isDisabled}
            aria-labelledby={`${id}${option.value}`}
            {...(option.detail !== undefined && { 'aria-describedby': `${id}${option.value}-detail` })}
            className="mt-0.5 flex size-4.5 shrink-0 items-center justify-center rounded-full border border-strong-line bg-panel data-checked:border-accent data-checked:bg-accent"
          >
            <Radio.Indicator className="size-1.5 rounded-full bg-on-accent" />
          </Radio.Root>
          <span className="min-w-0 text-sm">
            <span id={`${id}${option.value}`} className="block font-medium">
              {option.label}
            </span>
            {option.detail !== undefined && (
              <span id={`${id}${option.value}-detail`} className="block text-soft text-xs">
                {option.detail}
              </span>
            )}
          </span>
        </label>
      ))}
    </RadioGroup>
  );
}

/** A choice of two to five short words, such as the kind of a chart. */
export function Segmented<Value extends string>({ value, onChange, options, label, isDisabled }: OneOf<Value>) {
  return (
    <RadioGroup
      value={value ?? null}
      onValueChange={(next) => next !== null && onChange(next)}
      disabled={isDisabled}
      {...(label !== undefined && { 'aria-label': label })}
      className="inline-flex w-fit max-w-full flex-wrap gap-0.5 rounded-md bg-sunken p-0.5 ring-1 ring-strong-line ring-inset"
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          disabled={option.isDisabled}
          aria-label={option.label}
          className="flex min-h-7 cursor-pointer items-center rounded-sm px-2.5 text-sm text-soft select-none hover:text-text data-checked:bg-accent data-checked:text-on-accent data-disabled:cursor-not-allowed data-disabled:opacity-60"
        >
          {option.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}

export interface SliderProps {
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  /** Required outside of a `Field`. */
  readonly label?: string;
  /** Formats the value. */
  readonly format?: (value: number) => string;
  readonly isDisabled?: boolean;
}

export function Slider({ value, onChange, min, max, step = 1, label, format = String, isDisabled }: SliderProps) {
  return (
    <BaseSlider.Root
      value={value}
      onValueChange={(next) => onChange(next)}
      min={min}
      max={max}
      step={step}
      disabled={isDisabled}
      className="flex items-center gap-3"
    >
      <BaseSlider.Control className="flex min-h-6 flex-1 cursor-pointer touch-none items-center select-none">
        <BaseSlider.Track className="h-1.5 w-full rounded-full bg-strong-line">
          <BaseSlider.Indicator className="rounded-full bg-accent" />
          <BaseSlider.Thumb
            {...(label !== undefined && { 'aria-label': label })}
            getAriaValueText={(_, now) => format(now)}
            className="size-5 rounded-full border-2 border-accent bg-panel has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          />
        </BaseSlider.Track>
      </BaseSlider.Control>
      <output className="numbers min-w-12 text-right text-sm">{format(value)}</output>
    </BaseSlider.Root>
  );
}
