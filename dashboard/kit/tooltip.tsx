import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';

export interface TooltipProps {
  readonly text: string;
  /** One focusable element. */
  readonly children: ReactElement<Record<string, unknown>>;
  /** Whether the text is already the element's label, so that it is not announced twice. */
  readonly isLabel?: boolean;
}

/** A hint on hover and focus. It never appears on touch, so it must not contain anything essential. */
export function Tooltip({ text, children, isLabel = false }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} {...(!isLabel && { 'aria-description': text })} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="max-w-72 rounded-md bg-text px-2 py-1 text-page text-xs shadow-pop transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
