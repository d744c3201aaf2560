import { useState } from 'react';
import { useApi, useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Badge, ErrorBox } from '../../kit/status.tsx';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';

/** The issuers at which the person can sign in; nothing if the gateway has none. */
export function Issuers() {
  const text = useText(profileText);
  const options = useApi('getSignInOptions');
  const providers = options.data?.providers ?? [];
  const linked = useApi('authListAccounts', {}, { enabled: providers.length > 0 });
  const link = useChange('authLinkSocial', {
    onDone: ({ url }) => {
      if (url !== undefined) location.assign(url);
    },
  });
  const unlink = useChange('authUnlinkAccount', { touches: ['authListAccounts'] });
  /** The link to be removed, and the name of its issuer. */
  const [asking, setAsking] = useState<{ readonly id: string; readonly name: string } | null>(null);
  if (providers.length === 0) return null;
  const callbackURL = new URL('app/me', document.baseURI).href;
  return (
    <Panel title={text.issuers}>
      <ul className="flex flex-col gap-2">
        {providers.map(({ id, name }) => {
          const own = linked.data?.find(({ providerId }) => providerId === id);
          return (
            <li key={id} className="flex flex-wrap items-center gap-3">
              <span className="min-w-0 flex-1 break-words">{name}</span>
              {own && <Badge tone="good">{text.linked}</Badge>}
              {own ? (
                <Button size="small" onClick={() => setAsking({ id: own.id, name })}>
                  {text.unlink}
                </Button>
              ) : (
                <Button
                  size="small"
                  isBusy={link.isPending}
                  onClick={() => link.mutate({ body: { provider: id, callbackURL } })}
                >
                  {text.link(name)}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {link.error && <ErrorBox error={link.error} />}
      <ConfirmDialog
        title={text.unlinkTitle(asking?.name ?? '')}
        body={text.unlinkText}
        confirmLabel={text.unlink}
        isDanger
        isOpen={asking !== null}
        onClose={() => setAsking(null)}
        onConfirm={() => unlink.mutateAsync({ body: { accountId: asking?.id ?? '' } })}
      />
    </Panel>
  );
}
