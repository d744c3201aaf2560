import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useRecentFactor } from './recent-factor.tsx';

interface EraseDialogProps {
  /** The texts of the page that asks. */
  readonly text: {
    eraseTitle(name: string): string;
    readonly eraseText: string;
    readonly erase: string;
    wasErased(pseudonym: string): string;
  };
  readonly name: string;
  /** The text that must be typed to confirm. */
  readonly typeToConfirm: string;
  readonly erase: () => Promise<{ readonly pseudonym: string | null }>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onErased?: () => void;
}

/** Asks for confirmation to erase a person or an account, and for a second factor if none was used recently. */
export function EraseDialog({ text, name, typeToConfirm, erase, isOpen, onClose, onErased }: EraseDialogProps) {
  const toast = useToast();
  const factor = useRecentFactor();
  const work = async () => {
    const { pseudonym } = await factor.run(erase);
    toast.done(text.wasErased(pseudonym ?? ''));
    onErased?.();
  };
  // The question closes at once, since the second factor may need its own dialog.
  const confirm = async () => void work().catch(toast.failed);
  return (
    <>
      <ConfirmDialog
        title={text.eraseTitle(name)}
        body={text.eraseText}
        confirmLabel={text.erase}
        typeToConfirm={typeToConfirm}
        isDanger
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={confirm}
      />
      {factor.dialog}
    </>
  );
}
