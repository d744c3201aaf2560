import { Mic, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Field, NumberInput, TextArea, TextInput } from '../../../kit/field.tsx';
import { FileInput } from '../../../kit/file-input.tsx';
import { Combobox, Select } from '../../../kit/select.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { base64Of } from '../wire/base64.ts';
import type { Parameter } from './contract.ts';
import type { FieldProblem, Values } from './values.ts';

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: Values[string];
  readonly problem: FieldProblem | undefined;
  readonly onChange: (value: Values[string]) => void;
}

/** Parameters with several lines of text. */
const LONG: ReadonlySet<string> = new Set(['input', 'prompt', 'query', 'instructions', 'negative_prompt', 'lyrics']);

/** Values that models commonly support; others may be typed. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = {
  voice: [
    ...[
      'alloy',
      'ash',
      'ballad',
      'cedar',
      'coral',
      'echo',
      'fable',
      'marin',
      'nova',
      'onyx',
      'sage',
      'shimmer',
      'verse',
    ],
  ],
  size: ['auto', '1024x1024', '1536x1024', '1024x1536', '512x512', '256x256'],
  aspect_ratio: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9'],
  resolution: ['480p', '720p', '1080p', '4k'],
};

/** Stands for "not sent" in a select. */
const USUAL = '';

export function ParameterField({ parameter, value, problem, onChange }: ParameterFieldProps) {
  const text = useText(playgroundText);
  const { name, types, isRequired, description, minimum, maximum } = parameter;
  const known = (text.parameters as Readonly<Record<string, string>>)[name];
  const bound = problem === 'least' ? minimum : problem === 'most' ? maximum : null;
  return (
    <Field
      label={known ?? <code className="font-mono">{name}</code>}
      help={
        types.includes('array') && !types.includes('file')
          ? text.oneALine
          : known === undefined
            ? description
            : undefined
      }
      isRequired={isRequired}
      error={problem && text.fieldProblems[problem](bound ?? 0)}
      className={LONG.has(name) || types.includes('array') || types.includes('file') ? 'sm:col-span-2' : ''}
    >
      <Control {...{ parameter, value, onChange }} />
    </Field>
  );
}

function Control({ parameter, value, onChange }: Omit<ParameterFieldProps, 'problem'>) {
  const text = useText(playgroundText);
  const { name, types, choices, usual } = parameter;
  const typed = typeof value === 'string' ? value : '';
  const set = (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value);
  if (types.includes('file')) return <FileControl name={name} value={value} onChange={onChange} />;
  if (choices.length > 0 || types.includes('boolean')) {
    const all = choices.length > 0 ? choices : ['true', 'false'];
    return (
      <Select
        value={typed}
        onChange={onChange}
        options={[
          { value: USUAL, label: usual === undefined ? text.usual : `${text.usual} (${String(usual)})` },
          ...all.map((choice) => ({
            value: choice,
            label: choices.length > 0 ? choice : text.yesNo[choice as 'true'],
          })),
        ]}
      />
    );
  }
  if (types.includes('number') || (types.includes('integer') && !types.includes('string')))
    return (
      <NumberInput
        isWhole={types.includes('integer')}
        value={typed}
        placeholder={usual === undefined ? text.usual : String(usual)}
        onChange={set}
      />
    );
  if (types.includes('array') || (types.includes('object') && !types.includes('string')))
    return <TextArea rows={4} isCode={types.includes('object')} value={typed} onChange={set} />;
  if (LONG.has(name)) return <TextArea rows={4} value={typed} onChange={set} />;
  if (name.endsWith('image_url')) return <ImageControl value={typed} onChange={onChange} />;
  const suggested = SUGGESTED[name];
  if (suggested) {
    const options = suggested.map((one) => ({ value: one, label: one }));
    const onPick = (next: string | undefined) => onChange(next ?? '');
    return (
      <Combobox
        isFree
        value={typed === '' ? undefined : typed}
        onChange={onPick}
        options={options}
        placeholder={usual === undefined ? text.usual : String(usual)}
      />
    );
  }
  return <TextInput value={typed} placeholder={usual === undefined ? '' : String(usual)} onChange={set} />;
}

interface ControlProps {
  readonly value: Values[string];
  readonly onChange: (value: Values[string]) => void;
}

const ACCEPTED: Readonly<Record<string, string>> = {
  image: 'image/*',
  mask: 'image/png',
  file: 'audio/*,video/mp4,video/webm,.flac,.mp3,.mpga,.m4a,.ogg,.wav',
};

function FileControl({ name, value, onChange }: ControlProps & { readonly name: string }) {
  const chosen = typeof value === 'string' ? undefined : value[0];
  return (
    <>
      <FileInput accept={ACCEPTED[name] ?? ''} onFiles={onChange} />
      {name === 'file' && <Recorder onFile={(file) => onChange([file])} />}
      {chosen && <Preview file={chosen} />}
    </>
  );
}

/** A preview of the chosen file. */
function Preview({ file }: { readonly file: File }) {
  const url = useObjectUrl(file);
  if (url === null) return null;
  if (/^image\/(?:png|jpeg|webp|gif)$/.test(file.type))
    return <img src={url} alt={file.name} className="max-h-40 max-w-full self-start rounded-md" />;
  // biome-ignore lint/a11y/useMediaCaption: the recording is what is to be written down
  if (file.type.startsWith('audio/')) return <audio controls src={url} aria-label={file.name} className="w-full" />;
  return <p className="truncate text-soft text-sm">{file.name}</p>;
}

export function useObjectUrl(file: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (file === null) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url;
}

/** Records from the microphone, which browsers allow only on secure pages. */
function Recorder({ onFile }: { readonly onFile: (file: File) => void }) {
  const text = useText(playgroundText);
  const running = useRef<MediaRecorder>(undefined);
  const [isRecording, setIsRecording] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => () => running.current?.stop(), []);
  if (navigator.mediaDevices === undefined || typeof MediaRecorder === 'undefined') return null;
  const begin = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const recorder = new MediaRecorder(stream);
      running.current = recorder;
      const pieces: Blob[] = [];
      recorder.ondataavailable = ({ data }) => pieces.push(data);
      recorder.onstop = () => {
        for (const track of stream.getTracks()) track.stop();
        setIsRecording(false);
        const type = recorder.mimeType.split(';')[0] ?? 'audio/webm';
        onFile(new File(pieces, `recording.${type.includes('mp4') ? 'mp4' : 'webm'}`, { type }));
      };
      recorder.start();
      setIsRecording(true);
      setIsRefused(false);
    } catch {
      setIsRefused(true);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isRecording ? (
        <Button icon={Square} onClick={() => running.current?.stop()}>
          {text.endRecording}
        </Button>
      ) : (
        <Button icon={Mic} onClick={() => void begin()}>
          {text.record}
        </Button>
      )}
      {isRefused && <span className="text-bad text-sm">{text.noMicrophone}</span>}
    </div>
  );
}

/** Takes the address of an image, or a local file as a data URI. */
function ImageControl({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const text = useText(playgroundText);
  const isFile = value.startsWith('data:');
  const take = async ([file]: readonly File[]) => {
    if (file) onChange(`data:${file.type};base64,${await base64Of(file)}`);
  };
  return (
    <>
      <TextInput
        isCode
        value={isFile ? `${value.slice(0, 40)}…` : value}
        readOnly={isFile}
        placeholder="https://"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isFile ? (
        <Button size="small" onClick={() => onChange('')} className="self-start">
          {text.removeImage}
        </Button>
      ) : (
        <FileInput accept="image/*" label={text.chooseImage} onFiles={(files) => void take(files)} />
      )}
    </>
  );
}
