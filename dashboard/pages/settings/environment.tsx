import type { Settings } from '../../api/schema.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import { Row } from './setting-row.tsx';

/** The configuration file and the variables that the process has started with. */
export function Environment({ settings: { file, environment } }: { readonly settings: Settings }) {
  const text = useText(settingsText);
  const names = [...new Set([...Object.keys(text.variables), ...Object.keys(environment)])];
  return (
    <ul>
      <Row label={text.file} help={text.fileHelp}>
        {file === null ? <None>{text.noFile}</None> : <code className="break-all font-mono">{file}</code>}
      </Row>
      {names.map((name) => {
        const value = environment[name];
        return (
          <Row key={name} label={<code className="font-mono">{name}</code>} help={text.variables[name] ?? ''}>
            {value === undefined ? (
              <None>{text.notSet}</None>
            ) : value === '(set)' ? (
              <span className="italic">{text.secretSet}</span>
            ) : (
              <span className="[overflow-wrap:anywhere]">{value}</span>
            )}
          </Row>
        );
      })}
    </ul>
  );
}

function None({ children }: { readonly children: string }) {
  return <span className="text-soft italic">{children}</span>;
}
