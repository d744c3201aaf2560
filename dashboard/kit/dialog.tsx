import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button, IconButton } from './button.tsx';
import { cx } from './classes.ts';
import { Field, TextInput } from './field.tsx';
import { ErrorBox } from './status.tsx';

const BACKDROP =
  'fixed inset-0 z-40 min-h-dvh bg-[rgb(10_15_22/0.5)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0';
const VIEWPORT = 'fixed inset-0 z-40 flex items-center justify-center p-3 sm:p-6';
const POPUP =
  'relative flex max-h-full w-full flex-col rounded-xl border border-line bg-panel text-text shadow-pop outline-none transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0';
const SHEET =
  'fixed inset-y-0 right-0 z-40 flex w-full flex-col border-line bg-panel text-text shadow-pop outline-none transition-transform duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full sm:border-l';

const SIZES = { small: 'max-w-sm', normal: 'max-w-xl', large: 'max-w-4xl' } as const;
const SHEET_SIZES = { small: 'sm:max-w-sm', normal: 'sm:max-w-xl', large: 'sm:max-w-4xl' } as const;

export interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly isOpen: boolean;
  /** Called for Escape, the close button and a press outside. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons; the last one is primary. */
  readonly footer?: ReactNode;
  readonly size?: keyof typeof SIZES;
  /** Whether a press outside leaves it open: for forms, whose input would be lost. */
  readonly isSticky?: boolean;
}

/** A separate task above the page. */
export function Dialog({ isOpen, onClose, size = 'normal', isSticky = false, ...content }: DialogProps) {
  const focus = useFirstFocus();
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || onClose()} disablePointerDismissal={isSticky}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Viewport className={VIEWPORT}>
          <Base.Popup {...focus} className={cx(POPUP, SIZES[size])}>
            <Content {...content} />
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

export type SheetProps = DialogProps;

/** The details of one object beside its list; full width on a phone. */
export function Sheet({ isOpen, onClose, size = 'normal', isSticky = false, ...content }: SheetProps) {
  const focus = useFirstFocus();
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || onClose()} disablePointerDismissal={isSticky}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup {...focus} className={cx(SHEET, SHEET_SIZES[size])}>
          <Content {...content} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Focuses a form's first field, else the whole dialog, so that text to read does not start with a focus ring around a button. */
function useFirstFocus() {
  const ref = useRef<HTMLDivElement>(null);
  return { ref, initialFocus: () => (ref.current?.querySelector('form') ? true : ref.current) };
}

function Content({
  title,
  description,
  children,
  footer,
}: Pick<DialogProps, 'title' | 'description' | 'children' | 'footer'>) {
  const text = useText(kitText);
  return (
    <>
      <header className="py-3 pr-14 pl-4">
        <Base.Title className="break-words font-semibold text-lg">{title}</Base.Title>
        {description !== undefined && (
          <Base.Description render={<div />} className="text-soft text-sm">
            {description}
          </Base.Description>
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-1 pb-4">{children}</div>
      {footer !== undefined && (
        <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-3">{footer}</footer>
      )}
      {/* Last in the document, so that the first field gets the focus. */}
      <Base.Close render={<IconButton label={text.close} icon={X} />} className="absolute top-3 right-3" />
    </>
  );
}

export interface ConfirmDialogProps {
  readonly title: string;
  readonly body: ReactNode;
  /** The action in a word or two: “Delete key”, never “OK”. */
  readonly confirmLabel: string;
  readonly isDanger?: boolean;
  /** The object's name, which must be typed first. */
  readonly typeToConfirm?: string;
  /** The dialog closes when this resolves; errors are shown inside. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for confirmation before something irreversible. */
export function ConfirmDialog({ isOpen, onClose, ...question }: ConfirmDialogProps) {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => open || isBusy || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Viewport className={VIEWPORT}>
          <AlertDialog.Popup className={cx(POPUP, 'max-w-md')}>
            <Question {...question} onClose={onClose} isBusy={isBusy} setIsBusy={setIsBusy} />
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

interface QuestionProps extends Omit<ConfirmDialogProps, 'isOpen'> {
  readonly isBusy: boolean;
  readonly setIsBusy: (isBusy: boolean) => void;
}

/** Mounted again each time the dialog opens, since the input and errors belong to one question. */
function Question(props: QuestionProps) {
  const { title, body, confirmLabel, isDanger = false, typeToConfirm, onConfirm, onClose, isBusy, setIsBusy } = props;
  const text = useText(kitText);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<Error>();
  const isSure = typeToConfirm === undefined || typed.trim() === typeToConfirm;
  const confirm = async () => {
    if (!isSure || isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form
      noValidate
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        // In React's tree this form may be nested in a form of the page.
        event.stopPropagation();
        void confirm();
      }}
    >
      <AlertDialog.Title className="break-words px-4 py-3 font-semibold text-lg">{title}</AlertDialog.Title>
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-4">
        <AlertDialog.Description render={<div />} className="break-words text-sm">
          {body}
        </AlertDialog.Description>
        {typeToConfirm !== undefined && (
          <Field label={text.typeToConfirm(typeToConfirm)}>
            <TextInput isCode value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
          </Field>
        )}
        {error && <ErrorBox error={error} />}
      </div>
      <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-3">
        <Button onClick={onClose} disabled={isBusy}>
          {text.cancel}
        </Button>
        <Button type="submit" variant={isDanger ? 'danger' : 'primary'} disabled={!isSure} isBusy={isBusy}>
          {confirmLabel}
        </Button>
      </footer>
    </form>
  );
}
