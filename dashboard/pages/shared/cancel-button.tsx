import { Ban } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';

interface CancelButtonProps {
  readonly text: { readonly cancel: string; readonly cancelTitle: string; readonly cancelText: string };
  readonly isBusy: boolean;
  readonly onConfirm: () => Promise<unknown>;
}

/** Cancels something that runs, after a confirmation. */
export function CancelButton({ text, isBusy, onConfirm }: CancelButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="small" icon={Ban} isBusy={isBusy} onClick={() => setAsking(true)}>
        {text.cancel}
      </Button>
      <ConfirmDialog
        title={text.cancelTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDanger
        confirmLabel={text.cancel}
        onConfirm={onConfirm}
        body={<p>{text.cancelText}</p>}
      />
    </>
  );
}
