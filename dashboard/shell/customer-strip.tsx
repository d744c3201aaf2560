import { TriangleAlert } from 'lucide-react';
import { TextLink } from '../kit/button.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { type ScopeInUse, scopeOf } from './scope.tsx';
import { useAccountName } from './sidebar.tsx';

/** Tells an operator that the pages are those of a customer's account, and leads back. One line, so that its height is known. */
export function CustomerStrip({ scope }: { readonly scope: ScopeInUse }) {
  const text = useText(shellText);
  const name = useAccountName(scope);
  return (
    <section
      aria-label={text.customerAccount}
      className="flex h-9 items-center gap-2 border-line border-b bg-warn-ground px-4 text-sm text-warn"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 truncate" title={scope.accountId ?? undefined}>
        {text.inCustomer(name)}
      </p>
      <TextLink
        to={`${scopeOf(null).base}/accounts`}
        search={{ id: scope.accountId } as never}
        className="ms-auto shrink-0"
      >
        {text.backToAdmin}
      </TextLink>
    </section>
  );
}
