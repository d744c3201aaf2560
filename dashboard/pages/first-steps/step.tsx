import { Check } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '../../kit/button.tsx';
import { cx } from '../../kit/classes.ts';
import { Badge } from '../../kit/status.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  /** Whether it takes the focus, because the person has come here or the focused form is gone. */
  readonly isFocused: boolean;
  readonly onOpen: () => void;
  /** Absent for the last step. */
  readonly onSkip?: () => void;
  readonly children: ReactNode;
}

/** One step: only its title, or open. */
export function Step({ number, title, isDone, isOpen, isFocused, onOpen, onSkip, children }: StepProps) {
  const text = useText(firstStepsText);
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isOpen && isFocused) heading.current?.focus();
  }, [isOpen, isFocused]);
  return (
    <section
      aria-labelledby={titleId}
      className={cx('min-w-0 rounded-lg border bg-panel', isOpen ? 'border-strong-line' : 'border-line')}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <span
          aria-hidden
          className={cx(
            'numbers flex size-7 shrink-0 items-center justify-center rounded-full font-semibold text-sm',
            isDone ? 'bg-good-ground text-good' : isOpen ? 'bg-accent text-on-accent' : 'bg-sunken text-soft',
          )}
        >
          {isDone ? <Check className="size-4" strokeWidth={3} /> : number}
        </span>
        <h2
          id={titleId}
          ref={heading}
          tabIndex={-1}
          aria-current={isOpen ? 'step' : undefined}
          className="min-w-0 flex-1 rounded-xs font-semibold"
        >
          {title}
        </h2>
        {isDone && (
          <span className="max-sm:sr-only">
            <Badge tone="good">{text.done}</Badge>
          </span>
        )}
        {!isOpen && (
          <Button size="small" aria-label={`${isDone ? text.again : text.open}: ${title}`} onClick={onOpen}>
            {isDone ? text.again : text.open}
          </Button>
        )}
      </header>
      {isOpen && (
        <div className="flex min-w-0 flex-col gap-4 px-4 pb-4">
          {children}
          {onSkip && !isDone && (
            <div className="flex justify-end border-line border-t pt-3">
              <Button variant="quiet" onClick={onSkip}>
                {text.skip}
              </Button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}
