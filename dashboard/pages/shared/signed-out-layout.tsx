import { type ReactNode, useEffect } from 'react';
import icon from '../../icon.svg';
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
  useEffect(() => {
    document.title = `${title} · Switchyard`;
  }, [title]);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex justify-end p-3">
        <Menu label={text.theme} items={preferences} />
      </header>
      <main className="mx-auto w-full max-w-sm px-4 pt-[8vh] pb-16">
        <img src={icon} alt="" width={36} height={36} className="mb-5" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {about !== undefined && <p className="mt-1.5 text-soft">{about}</p>}
        <div className="mt-6 flex flex-col gap-4">{children}</div>
      </main>
    </div>
  );
}
