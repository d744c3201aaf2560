import type { ReactNode } from 'react';
import { BrandLogo, useBrand, usePageTitle } from '../../kit/brand.tsx';
import { OuterLink } from '../../kit/button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { usePreferences } from '../../shell/preferences.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';

interface SignedOutLayoutProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}

/** The layout of pages for people who are not signed in. */
export function SignedOutLayout({ title, about, children }: SignedOutLayoutProps) {
  const text = useText(shellText);
  const preferences = usePreferences();
  const { name, support_url: support } = useBrand();
  usePageTitle(title);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex justify-end p-3">
        <Menu label={text.theme} items={preferences} />
      </header>
      <main className="mx-auto w-full max-w-sm px-4 pt-[8vh] pb-16">
        <p className="mb-5 flex min-w-0 items-center gap-3 font-semibold">
          <BrandLogo className="h-9 max-w-40 shrink-0" />
          <span className="min-w-0 break-words">{name}</span>
        </p>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {about !== undefined && <p className="mt-1.5 text-soft">{about}</p>}
        <div className="mt-6 flex flex-col gap-4">{children}</div>
        {support !== null && (
          <p className="mt-8 text-soft text-sm [overflow-wrap:anywhere]">
            {text.needHelp} <OuterLink href={support}>{support.replace(/^(?:mailto:|https:\/\/)/, '')}</OuterLink>
          </p>
        )}
      </main>
    </div>
  );
}
