import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import { cx, popupClass } from './classes.ts';

export interface PopoverProps {
  /** A description that is announced when it opens. */
  readonly label: string;
  /** The button that opens it. */
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  /** Both or neither: without them the popover manages its own state. */
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

/** A few controls or facts beside the button that they belong to. */
export function Popover({ label, trigger, children, isOpen, onOpenChange }: PopoverProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={onOpenChange && ((open) => onOpenChange(open))}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" collisionPadding={8} className="z-50">
          <Base.Popup
            aria-label={label}
            className={cx(
              popupClass,
              'max-h-(--available-height) w-[min(22rem,calc(100vw-1rem))] overflow-y-auto p-4 text-sm',
            )}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
