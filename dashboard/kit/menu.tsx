import { Menu as Base } from '@base-ui/react/menu';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';
import { IconButton } from './button.tsx';
import { cx, optionClass, popupClass } from './classes.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** Why it is disabled, shown below its label. */
  readonly why?: string;
}

export interface MenuProps {
  /** A name of the menu: “Actions for key build-bot”. */
  readonly label: string;
  /** A button; three dots by default. */
  readonly trigger?: ReactElement;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, trigger, items }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger ?? <IconButton label={label} icon={Ellipsis} size="small" />} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" collisionPadding={8} className="z-50 outline-none">
          <Base.Popup
            aria-label={label}
            className={cx(popupClass, 'max-h-(--available-height) min-w-44 max-w-80 overflow-y-auto p-1')}
          >
            {items.map((item) => (
              <Line key={item.label} item={item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Line({
  item: { label, icon: Icon, onSelect, isDanger = false, isDisabled = false, why },
}: {
  readonly item: MenuItem;
}) {
  return (
    <Base.Item
      disabled={isDisabled}
      label={label}
      onClick={onSelect}
      className={cx(optionClass, isDanger && 'text-bad data-highlighted:bg-bad-ground')}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0 self-start mt-0.5" />}
      <span className="min-w-0">
        <span className="block break-words">{label}</span>
        {isDisabled && why !== undefined && <span className="block text-soft text-xs">{why}</span>}
      </span>
    </Base.Item>
  );
}
