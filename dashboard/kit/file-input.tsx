import { Field as Base } from '@base-ui/react/field';
import { Upload } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { isAccepted } from './accept.ts';
import { cx } from './classes.ts';
import { useField } from './field.tsx';

export interface FileInputProps {
  /** The HTML attribute: `.json,image/*`. */
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly onFiles: (files: File[]) => void;
  /** Required outside of a `Field`. */
  readonly label?: string;
  readonly isDisabled?: boolean;
}

/** Takes files from a dialog, or dropped ones. */
export function FileInput({ accept = '', multiple = false, onFiles, label, isDisabled = false }: FileInputProps) {
  const text = useText(kitText);
  const { isRequired } = useField();
  const [isOver, setIsOver] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [refused, setRefused] = useState<string>();
  const take = (list: FileList) => {
    const files = multiple ? [...list] : [...list].slice(0, 1);
    const wrong = files.find((file) => !isAccepted(file, accept));
    setRefused(wrong?.name);
    if (wrong !== undefined || files.length === 0) return;
    setChosen(files.map(({ name }) => name));
    onFiles(files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    if (!isDisabled) take(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the input within does all by keyboard
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(!isDisabled);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
      className={cx(
        'relative flex min-h-20 flex-col items-center justify-center gap-1 rounded-lg border border-strong-line border-dashed p-3 text-center text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent',
        isOver ? 'bg-accent-ground' : 'bg-panel hover:bg-hover',
        isDisabled && 'opacity-60',
      )}
    >
      <Upload aria-hidden className="size-5 text-soft" />
      <span>{multiple ? text.chooseFiles : text.chooseFile}</span>
      <span role="status" className="max-w-full break-words text-xs">
        {refused === undefined ? (
          <span className="text-soft">{chosen.join(', ')}</span>
        ) : (
          <span className="text-bad">{text.wrongFileKind(refused)}</span>
        )}
      </span>
      <Base.Control
        type="file"
        accept={accept}
        multiple={multiple}
        disabled={isDisabled}
        aria-required={isRequired || undefined}
        {...(label !== undefined && { 'aria-label': label })}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files) take(files);
          // Allows the same file to be chosen again after a change.
          event.currentTarget.value = '';
        }}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      />
    </div>
  );
}
