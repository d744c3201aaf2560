import { Collapsible } from '@base-ui/react/collapsible';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';

export interface DisclosureProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly isOpenAtFirst?: boolean;
  /** Whether content must be visible, such as a field with an error: opens when this becomes true. */
  readonly mustShow?: boolean;
}

/** Content that most readers need not see. Its fields keep their input while it is closed. */
export function Disclosure({ title, children, isOpenAtFirst = false, mustShow = false }: DisclosureProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  useEffect(() => {
    if (mustShow) setIsOpen(true);
  }, [mustShow]);
  return (
    <Collapsible.Root open={isOpen} onOpenChange={setIsOpen} className="min-w-0">
      <Collapsible.Trigger className="group flex min-h-8 w-full items-center gap-1.5 rounded-md text-left font-medium text-sm hover:text-accent">
        <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-data-panel-open:rotate-90" />
        <span className="min-w-0 flex-1">{title}</span>
      </Collapsible.Trigger>
      <Collapsible.Panel keepMounted className="pt-2 pb-1 pl-5.5 [[hidden]]:hidden">
        {children}
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}
