import { Meter as BaseMeter } from '@base-ui/react/meter';
import { Progress as BaseProgress } from '@base-ui/react/progress';
import { CircleAlert, CircleCheck, CircleX, Info, LoaderCircle, type LucideIcon, RotateCw } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import { ApiError, type OwnFailure } from '../api/client.ts';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button } from './button.tsx';
import { cx } from './classes.ts';
import { CopyText } from './copy.tsx';
import { problemsOf } from './form-errors.ts';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

const GROUNDS: Readonly<Record<Tone, string>> = {
  neutral: 'bg-sunken text-soft',
  good: 'bg-good-ground text-good',
  warn: 'bg-warn-ground text-warn',
  bad: 'bg-bad-ground text-bad',
  accent: 'bg-accent-ground text-accent',
};

const FILLS: Readonly<Record<Tone, string>> = {
  neutral: 'bg-strong-line',
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  accent: 'bg-accent',
};

const ICONS: Readonly<Record<Tone, LucideIcon>> = {
  neutral: Info,
  good: CircleCheck,
  warn: CircleAlert,
  bad: CircleX,
  accent: Info,
};

export interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/** A state in one or two words. */
export function Badge({ tone = 'neutral', icon: Icon, children }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex max-w-full items-center gap-1 rounded-full align-middle px-2 py-px font-medium text-xs whitespace-nowrap',
        GROUNDS[tone],
        tone === 'neutral' && 'ring-1 ring-line ring-inset',
      )}
    >
      {Icon && <Icon aria-hidden className="size-3 shrink-0" />}
      <span className="truncate">{children}</span>
    </span>
  );
}

export interface DotProps {
  readonly tone: Tone;
  /** Text beside the dot: a colour alone says nothing to many readers. */
  readonly children: ReactNode;
}

export function Dot({ tone, children }: DotProps) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={cx('size-2 shrink-0 rounded-full', FILLS[tone])} />
      {children}
    </span>
  );
}

export interface NoticeProps {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** Whether it is announced at once: for what appears after an action. */
  readonly isLive?: boolean;
}

/** A banner within the page. */
export function Notice({ tone, title, children, action, isLive = false }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div
      className={cx('flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg px-3 py-2.5', GROUNDS[tone])}
      {...(isLive && { role: tone === 'bad' ? 'alert' : 'status' })}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-48 text-sm">
        {title !== undefined && <p className="font-semibold">{title}</p>}
        {children !== undefined && <div className="break-words text-text">{children}</div>}
      </div>
      {action}
    </div>
  );
}

export interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** The content of an empty list: why it is empty, and what to do first. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      <span className="flex size-11 items-center justify-center rounded-full bg-sunken text-soft">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-prose text-balance text-soft text-sm">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

export interface ErrorBoxProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  /** Whether the message says enough, so that the facts are left out. */
  readonly isPlain?: boolean | undefined;
}

/** A failure to load, in the gateway's own words, with the facts that support needs. */
export function ErrorBox({ error, onRetry, isPlain = false }: ErrorBoxProps) {
  const text = useText(kitText);
  const titleOf = useErrorTitle();
  const again = onRetry && (
    <Button size="small" icon={RotateCw} onClick={onRetry}>
      {text.retry}
    </Button>
  );
  return (
    <Notice tone="bad" title={titleOf(error)} action={again} isLive>
      {error instanceof ApiError && !isPlain && (
        <>
          <OtherProblems error={error} />
          {error.hint !== null && <p className="break-words">{error.hint}</p>}
          <ErrorFacts error={error} />
        </>
      )}
    </Notice>
  );
}

/** Returns a function that formats an error's message without the name of the member concerned. */
export function useErrorTitle(): (error: Error) => string {
  const { failures } = useText(kitText);
  return useCallback(
    (error) => {
      if (!(error instanceof ApiError)) return error.message;
      const own = error.status === 0 ? failures[error.code as OwnFailure] : undefined;
      return own ?? problemsOf(error)[0].message;
    },
    [failures],
  );
}

function OtherProblems({ error }: { readonly error: ApiError }) {
  const [, ...others] = problemsOf(error);
  return others.map(({ param, message }) => (
    <p key={`${param} ${message}`} className="break-words">
      <code className="font-mono text-xs">{param}</code> {message}
    </p>
  ));
}

/** The code, the member and the request id of an error. */
export function ErrorFacts({ error }: { readonly error: ApiError }) {
  const text = useText(kitText);
  return (
    <dl className="flex flex-wrap items-center gap-x-4 text-xs">
      <div className="flex gap-1">
        <dt>{text.errorCode}</dt>
        <dd className="font-mono">{error.code}</dd>
      </div>
      {error.param !== null && (
        <div className="flex min-w-0 gap-1">
          <dt>{text.errorField}</dt>
          <dd className="min-w-0 break-all font-mono">{error.param}</dd>
        </div>
      )}
      {error.requestId !== null && (
        <div className="flex min-w-0 items-center gap-1">
          <dt className="shrink-0">{text.requestId}</dt>
          <dd className="min-w-0">
            <CopyText text={error.requestId} label={text.copyRequestId} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** An indicator that something is loading. */
export function Loading({ label }: { readonly label?: string }) {
  const text = useText(kitText);
  return (
    <div role="status" data-waiting className="flex items-center justify-center gap-2 p-6 text-soft text-sm">
      <LoaderCircle aria-hidden className="size-4 animate-spin motion-reduce:animate-none" />
      {label ?? text.loading}
    </div>
  );
}

export interface SkeletonProps {
  /** Its size, as classes: `h-4 w-32`. */
  readonly className?: string;
}

/** A placeholder for content that is loading. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <div
      aria-hidden
      data-waiting
      className={cx('animate-pulse rounded-md bg-hover motion-reduce:animate-none', className ?? 'h-4 w-full')}
    />
  );
}

export interface MeterProps {
  readonly value: number;
  readonly max: number;
  /** The measured quantity, shown on the left. */
  readonly label: ReactNode;
  /** The value as text, shown on the right and announced. */
  readonly text: string;
  /** The default is warn from 80 %, bad from 100 %. */
  readonly tone?: Tone;
}

/** Shows how much of something is used up. */
export function Meter({ value, max, label, text, tone }: MeterProps) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  const shown = tone ?? (share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'accent');
  return (
    <BaseMeter.Root value={share * 100} aria-valuetext={text} className="flex min-w-0 flex-col gap-1 text-sm">
      <div className="flex flex-wrap justify-between gap-x-3">
        <BaseMeter.Label>{label}</BaseMeter.Label>
        <span className="numbers text-soft">{text}</span>
      </div>
      <BaseMeter.Track className="h-1.5 overflow-hidden rounded-full bg-hover">
        <BaseMeter.Indicator className={cx('rounded-full', FILLS[shown])} />
      </BaseMeter.Track>
    </BaseMeter.Root>
  );
}

export interface ProgressProps {
  readonly label: string;
  /** From 0 to 1; omitted if unknown. */
  readonly share?: number;
}

/** Shows how far something has progressed. */
export function Progress({ label, share }: ProgressProps) {
  const percent = share === undefined ? null : Math.min(1, Math.max(0, share)) * 100;
  return (
    <BaseProgress.Root value={percent} aria-label={label} className="w-full">
      <BaseProgress.Track className="h-1.5 overflow-hidden rounded-full bg-hover">
        <BaseProgress.Indicator
          className={cx(
            'rounded-full bg-accent transition-[width]',
            percent === null && 'h-full w-1/3 animate-pulse motion-reduce:animate-none',
          )}
        />
      </BaseProgress.Track>
    </BaseProgress.Root>
  );
}
