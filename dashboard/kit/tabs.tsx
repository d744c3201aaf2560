import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** Rendered only while the tab is open. */
  readonly content: ReactNode;
}

export interface TabsProps<Value extends string> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly tabs: readonly Tab<Value>[];
  /** The name of the whole that the tabs divide. */
  readonly label: string;
}

/** Parts of a page, one of which is visible. The page stores which, preferably in its address. */
export function Tabs<Value extends string>({ value, onChange, tabs, label }: TabsProps<Value>) {
  return (
    <Base.Root value={value} onValueChange={(next: Value) => onChange(next)} className="flex min-w-0 flex-col gap-4">
      <Base.List
        aria-label={label}
        className="fading-ends flex max-w-full scroll-px-10 gap-1 overflow-x-auto overflow-y-hidden border-line border-b"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px min-h-9 shrink-0 border-transparent border-b-2 px-3 text-sm text-soft whitespace-nowrap hover:text-text focus-visible:outline-offset-[-2px] data-active:border-accent data-active:font-medium data-active:text-text"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="min-w-0">
          {/* A closing panel stays for a frame: two contents at once would make the page jump. */}
          {tab.value === value && tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
