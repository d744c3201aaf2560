import type { ReactNode } from 'react';
import { usePageTitle } from './brand.tsx';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons on the right, or below the title if narrow. */
  readonly actions?: ReactNode;
}

/** The header of a page; its title is also the window's. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
        {description !== undefined && <p className="mt-1 max-w-3xl text-pretty text-soft">{description}</p>}
      </div>
      {actions !== undefined && <div className="not-printed flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
