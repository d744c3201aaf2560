import { Badge } from '../../../kit/status.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';
import type { Payer } from '../wire/call.ts';
import { Media } from './media.tsx';
import { useObjectUrl } from './parameter-field.tsx';
import type { Run } from './runs.ts';
import { TaskResult } from './task-result.tsx';
import { Vectors } from './vectors.tsx';

interface ResultViewProps {
  readonly run: Run;
  readonly payer: Payer;
}

/** The result of an operation. */
export function ResultView({ run, payer }: ResultViewProps) {
  const { result, operation } = run;
  if (result === null) return null;
  if ('file' in result) return <FileResult file={result.file} run={run} />;
  if ('text' in result) return <Pre text={result.text} />;
  const { json } = result;
  if (isTask(run)) return <TaskResult first={json} run={run} payer={payer} />;
  if (operation.startsWith('images.')) return <Images json={json} label={promptOf(run)} />;
  if (operation === 'embeddings') return <Vectors json={json} texts={inputsOf(run)} />;
  if (operation === 'rerank') return <Ranking json={json} documents={documentsOf(run)} />;
  if (operation === 'moderations') return <Moderation json={json} />;
  if (typeof json.text === 'string') return <Transcript json={json} />;
  return <Pre text={JSON.stringify(json, null, 2)} />;
}

/** Returns whether the result is a task, whose request is logged when it has ended. */
export function isTask({ result }: Run): boolean {
  return result !== null && 'json' in result && typeof result.json.poll_url === 'string';
}

function bodyOf({ call }: Run): JsonObject {
  return 'json' in call.body ? call.body.json : Object.fromEntries(call.body.form);
}

function promptOf(run: Run): string {
  return textOf(bodyOf(run).prompt) || run.model;
}

function inputsOf(run: Run): readonly string[] {
  const { input } = bodyOf(run);
  return Array.isArray(input) ? input.map(textOf) : [textOf(input)];
}

function documentsOf(run: Run): readonly string[] {
  return listOf(bodyOf(run).documents).map(textOf);
}

function Pre({ text }: { readonly text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-lg bg-sunken p-3 font-mono text-xs"
    >
      {text}
    </pre>
  );
}

function FileResult({ file, run }: { readonly file: Blob; readonly run: Run }) {
  const url = useObjectUrl(file);
  if (url === null) return null;
  const type = file.type.split(';')[0] ?? '';
  const ending = (type.split('/')[1] ?? 'bin').replace('mpeg', 'mp3').replace('x-wav', 'wav');
  const label = textOf(bodyOf(run).input).slice(0, 120) || run.model;
  // Raw samples have no header that a player could read.
  return <Media url={url} type={ending === 'pcm' ? '' : type} label={label} fileName={`speech.${ending}`} />;
}

function Images({ json, label }: { readonly json: JsonObject; readonly label: string }) {
  const text = useText(playgroundText);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {listOf(json.data)
        .filter(isObject)
        .map((image, index) => {
          const base64 = textOf(image.b64_json);
          const url = base64 === '' ? textOf(image.url) : `data:${imageType(base64)};base64,${base64}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
            <div key={index} className="min-w-0">
              {url !== '' && <Media url={url} type="image/*" label={label} fileName={`image-${index + 1}`} />}
              {textOf(image.revised_prompt) !== '' && (
                <p className="mt-1 text-soft text-xs">{text.revised(textOf(image.revised_prompt))}</p>
              )}
            </div>
          );
        })}
    </div>
  );
}

function imageType(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg';
  return base64.startsWith('UklGR') ? 'image/webp' : 'image/png';
}

function Transcript({ json }: { readonly json: JsonObject }) {
  const text = useText(playgroundText);
  const segments = listOf(json.segments).filter(isObject);
  const duration = numberOf(json.duration);
  return (
    <div className="flex flex-col gap-2">
      <p className="whitespace-pre-wrap break-words">{textOf(json.text)}</p>
      {(duration !== null || textOf(json.language) !== '') && (
        <p className="text-soft text-xs">
          {[textOf(json.language), duration === null ? '' : text.seconds(duration)].filter(Boolean).join(' · ')}
        </p>
      )}
      {segments.length > 0 && (
        <ol className="flex flex-col gap-1 text-sm">
          {segments.map((segment, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
            <li key={index} className="flex gap-3">
              <span className="numbers w-24 shrink-0 text-right text-soft">
                {(numberOf(segment.start) ?? 0).toFixed(1)}–{(numberOf(segment.end) ?? 0).toFixed(1)}
              </span>
              <span className="min-w-0 break-words">
                {textOf(segment.speaker) !== '' && <strong>{textOf(segment.speaker)}: </strong>}
                {textOf(segment.text)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Ranking({ json, documents }: { readonly json: JsonObject; readonly documents: readonly string[] }) {
  return (
    <ol className="flex flex-col gap-2">
      {listOf(json.results)
        .filter(isObject)
        .map(({ index, relevance_score: score }) => (
          <li key={String(index)} className="flex gap-3">
            <span className="numbers w-14 shrink-0 text-right font-medium">{(numberOf(score) ?? 0).toFixed(4)}</span>
            <span className="min-w-0 break-words">{documents[numberOf(index) ?? -1] ?? String(index)}</span>
          </li>
        ))}
    </ol>
  );
}

function Moderation({ json }: { readonly json: JsonObject }) {
  const text = useText(playgroundText);
  return (
    <div className="flex flex-col gap-4">
      {listOf(json.results)
        .filter(isObject)
        .map(({ flagged, categories, category_scores: scores }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
          <section key={index} className="flex flex-col gap-2">
            <p>
              {flagged === true ? (
                <Badge tone="bad">{text.flagged}</Badge>
              ) : (
                <Badge tone="good">{text.notFlagged}</Badge>
              )}
            </p>
            <dl className="grid gap-x-6 gap-y-0.5 text-sm sm:grid-cols-2">
              {Object.entries(objectOf(scores)).map(([name, score]) => (
                <div key={name} className="flex justify-between gap-3">
                  <dt className={objectOf(categories)[name] === true ? 'font-semibold text-bad' : 'text-soft'}>
                    {name}
                  </dt>
                  <dd className="numbers">{(numberOf(score) ?? 0).toFixed(3)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
    </div>
  );
}
