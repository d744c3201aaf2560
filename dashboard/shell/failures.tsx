import type { ReactNode } from 'react';
import { usePageTitle } from '../kit/brand.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';

export function NotFound() {
  const text = useText(shellText);
  return (
    <Whole title={text.notFound} about={text.notFoundText}>
      <a className="text-accent underline" href="./">
        {text.toStart}
      </a>
    </Whole>
  );
}

/** Shown for a page that has thrown, without details that the reader cannot use. */
export function Crashed({ error }: { readonly error: unknown }) {
  const text = useText(shellText);
  console.error(error);
  return (
    <Whole title={text.crashed} about={text.crashedText}>
      <button
        type="button"
        className="rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent hover:bg-accent-hover"
        onClick={() => location.reload()}
      >
        {text.reload}
      </button>
    </Whole>
  );
}

interface WholeProps {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}

function Whole({ title, about, children }: WholeProps) {
  usePageTitle(title);
  return (
    <main className="mx-auto max-w-md px-4 py-24 text-center">
      <h1 className="text-lg font-semibold">{title}</h1>
      <p className="mt-2 mb-6 text-balance text-soft">{about}</p>
      {children}
    </main>
  );
}
