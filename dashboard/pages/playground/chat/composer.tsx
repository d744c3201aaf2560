import { Paperclip, Send, Square, X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { chipClass, chipRemoveClass } from '../../../kit/classes.ts';
import { Field, TextArea } from '../../../kit/field.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { attachmentsOf } from './attachments.ts';
import type { Attachment, UserTurn } from './conversation.ts';

interface ComposerProps {
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onSend: (turn: UserTurn) => void;
  readonly onStop: () => void;
  /** Called with the current draft, for the code that is shown. */
  readonly onDraft: (turn: UserTurn) => void;
}

/** The input for the next prompt. Enter sends it, Shift + Enter is a new line. */
export function Composer({ isBusy, isDisabled, onSend, onStop, onDraft }: ComposerProps) {
  const text = useText(playgroundText);
  const [prompt, setPrompt] = useState('');
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState<string>();
  const isEmpty = prompt.trim() === '' && files.length === 0;
  const change = (next: string, attached: readonly Attachment[]) => {
    setPrompt(next);
    setFiles(attached);
    onDraft({ role: 'user', text: next, files: attached });
  };
  const send = () => {
    if (isEmpty || isBusy || isDisabled) return;
    onSend({ role: 'user', text: prompt, files });
    change('', []);
  };
  const attach = async (list: FileList) => {
    const added = await attachmentsOf([...list], files);
    setProblem(Array.isArray(added) ? undefined : text.files[added]);
    if (Array.isArray(added)) change(prompt, [...files, ...added]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also completes a word of a Chinese or Japanese keyboard.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Field label={text.prompt} isLabelHidden error={problem}>
        <TextArea
          rows={3}
          value={prompt}
          placeholder={text.promptExample}
          onChange={(event) => change(event.currentTarget.value, files)}
          onKeyDown={onKeyDown}
        />
      </Field>
      <Files
        files={files}
        onRemove={(file) =>
          change(
            prompt,
            files.filter((other) => other !== file),
          )
        }
      />
      <div className="flex items-center justify-between gap-2">
        <AttachButton onFiles={(list) => void attach(list)} />
        {isBusy ? (
          <Button icon={Square} onClick={onStop}>
            {text.stop}
          </Button>
        ) : (
          <Button type="submit" variant="primary" icon={Send} disabled={isEmpty || isDisabled}>
            {text.send}
          </Button>
        )}
      </div>
    </form>
  );
}

interface FilesProps {
  readonly files: readonly Attachment[];
  readonly onRemove: (file: Attachment) => void;
}

function Files({ files, onRemove }: FilesProps) {
  const text = useText(playgroundText);
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <li key={`${index} ${file.name}`} className={chipClass}>
          <span className="min-w-0 truncate">{file.name}</span>
          <button
            type="button"
            aria-label={text.removeFile(file.name)}
            className={chipRemoveClass}
            onClick={() => onRemove(file)}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function AttachButton({ onFiles }: { readonly onFiles: (files: FileList) => void }) {
  const text = useText(playgroundText);
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          if (event.currentTarget.files) onFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
      <IconButton label={text.attach} icon={Paperclip} onClick={() => picker.current?.click()} />
    </>
  );
}
