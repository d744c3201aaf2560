import { RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/dialog.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { credentialsText } from '../../../text/credentials.ts';
import { useText } from '../../../text/text.tsx';
import { type CredentialKind, RotateDialog, type ShownSecret } from './parts.tsx';

interface CredentialActionsProps {
  readonly kind: CredentialKind;
  readonly name: string;
  readonly rotate: (graceSeconds: number) => Promise<{ readonly secret: string | null }>;
  readonly revoke: () => Promise<unknown>;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** The actions on a key or a token. */
export function CredentialActions({ kind, name, rotate, revoke, onSecret }: CredentialActionsProps) {
  const text = useText(credentialsText);
  const toast = useToast();
  const [open, setOpen] = useState<'rotate' | 'revoke' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button size="small" icon={RotateCw} onClick={() => setOpen('rotate')}>
        {text.rotate}
      </Button>
      <Button size="small" icon={Trash2} onClick={() => setOpen('revoke')}>
        {text.revoke}
      </Button>
      <RotateDialog
        kind={kind}
        name={name}
        isOpen={open === 'rotate'}
        onClose={close}
        rotate={async (graceSeconds) => {
          const { secret } = await rotate(graceSeconds);
          if (secret !== null) onSecret({ name, secret });
        }}
      />
      <ConfirmDialog
        title={text.revokeTitle(name)}
        body={text.revokeText[kind]}
        confirmLabel={text.revoke}
        isDanger
        isOpen={open === 'revoke'}
        onClose={close}
        onConfirm={async () => {
          await revoke();
          toast.done(text.revoked(name));
        }}
      />
    </>
  );
}
