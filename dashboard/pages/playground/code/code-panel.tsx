import { useState } from 'react';
import { Segmented } from '../../../kit/choice.tsx';
import { CodeBlock } from '../../../kit/copy.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { useBaseUrls } from '../../../shell/use-own-address.ts';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import type { Call } from '../wire/call.ts';
import { curl } from './curl.ts';
import { python } from './python.ts';
import { typescript } from './typescript.ts';

const PROGRAMS = {
  curl: { label: 'curl', language: 'shell', write: curl },
  python: { label: 'Python', language: 'python', write: python },
  typescript: { label: 'TypeScript', language: 'typescript', write: typescript },
} as const;
type Program = keyof typeof PROGRAMS;

/** The code of the request for a program with a key. */
export function CodePanel({ call }: { readonly call: Call | null }) {
  const text = useText(playgroundText);
  return (
    <div className="rounded-lg border border-line bg-panel px-3 py-1">
      <Disclosure title={text.code}>
        {call === null ? <p className="text-soft text-sm">{text.noCode}</p> : <Code call={call} />}
      </Disclosure>
    </div>
  );
}

function Code({ call }: { readonly call: Call }) {
  const text = useText(playgroundText);
  const baseUrls = useBaseUrls();
  const [program, setProgram] = useState<Program>('curl');
  const { language, write, label } = PROGRAMS[program];
  return (
    <div className="flex min-w-0 flex-col gap-2 pb-2">
      <Segmented
        label={text.code}
        value={program}
        onChange={setProgram}
        options={Object.entries(PROGRAMS).map(([value, one]) => ({ value: value as Program, label: one.label }))}
      />
      <CodeBlock code={write(call, baseUrls)} language={language} title={label} />
      <p className="text-soft text-xs">{text.codeHelp}</p>
    </div>
  );
}
