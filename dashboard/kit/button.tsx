import { createLink } from '@tanstack/react-router';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps, MouseEvent } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { cx } from './classes.ts';
import { Tooltip } from './tooltip.tsx';

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'danger';
export type ButtonSize = 'small' | 'normal';

interface Look {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: LucideIcon;
}

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium text-sm whitespace-nowrap no-underline select-none disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-70';

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-transparent bg-accent text-on-accent enabled:hover:bg-accent-hover [a&]:hover:bg-accent-hover',
  plain: 'border-strong-line bg-panel text-text enabled:hover:bg-hover [a&]:hover:bg-hover',
  quiet: 'border-transparent bg-transparent text-text enabled:hover:bg-hover [a&]:hover:bg-hover',
  danger: 'border-transparent bg-bad text-on-bad enabled:hover:bg-bad-hover [a&]:hover:bg-bad-hover',
};

const SIZES: Readonly<Record<ButtonSize, string>> = { small: 'min-h-7 px-2', normal: 'min-h-8 px-3' };
const SQUARES: Readonly<Record<ButtonSize, string>> = { small: 'size-7', normal: 'size-8' };

export interface ButtonProps extends ComponentProps<'button'>, Look {
  /** Whether an action is running: shows a spinner in place of the icon and ignores presses. */
  readonly isBusy?: boolean;
}

export function Button({ variant = 'plain', size = 'normal', className, ...rest }: ButtonProps) {
  return <Pressable {...rest} className={cx(BASE, VARIANTS[variant], SIZES[size], className)} />;
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'aria-label'> {
  /** The action: read by screen readers, and shown as the tooltip. */
  readonly label: string;
  readonly icon: LucideIcon;
}

export function IconButton({ label, variant = 'quiet', size = 'normal', className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} isLabel>
      <Pressable {...rest} aria-label={label} className={cx(BASE, VARIANTS[variant], SQUARES[size], className)} />
    </Tooltip>
  );
}

function Pressable({ icon: Icon, isBusy = false, children, onClick, type = 'button', ...rest }: ButtonProps) {
  const text = useText(kitText);
  // Not `disabled` while busy: that would drop the focus.
  const hold = (event: MouseEvent<HTMLButtonElement>) => event.preventDefault();
  return (
    <button {...rest} type={type} onClick={isBusy ? hold : onClick} {...(isBusy && BUSY)}>
      {isBusy ? (
        <LoaderCircle aria-hidden className="size-4 animate-spin motion-reduce:animate-none" />
      ) : (
        Icon && <Icon aria-hidden className="size-4 shrink-0" />
      )}
      {children}
      {isBusy && <span className="sr-only">{text.working}</span>}
    </button>
  );
}

const BUSY = { 'aria-busy': true, 'aria-disabled': true } as const;

export interface LinkButtonProps extends ComponentProps<'a'>, Look {}

function ButtonAnchor({
  variant = 'plain',
  size = 'normal',
  icon: Icon,
  className,
  children,
  ...rest
}: LinkButtonProps) {
  return (
    <a {...rest} className={cx(BASE, VARIANTS[variant], SIZES[size], className)}>
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
    </a>
  );
}

/** A link to a file, styled as a button: `download` keeps the page. */
export function FileButton(props: LinkButtonProps) {
  return <ButtonAnchor download {...props} />;
}

/** A link to a page, styled as a button. */
export const LinkButton = createLink(ButtonAnchor);

export const textLinkClass =
  'rounded-xs text-accent underline decoration-1 underline-offset-2 hover:text-accent-hover hover:decoration-2';

function TextAnchor({ className, ...rest }: ComponentProps<'a'>) {
  return <a {...rest} className={cx(textLinkClass, className)} />;
}

/** A link to a page within a text. */
export const TextLink = createLink(TextAnchor);

/** A link out of the dashboard, or to a file. */
export function OuterLink({ className, ...rest }: ComponentProps<'a'>) {
  return <TextAnchor rel="noreferrer" {...rest} className={className} />;
}
