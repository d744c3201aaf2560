import type { AuditEntry } from '../../../api/schema.ts';
import { auditText } from '../../../text/audit.ts';
import { useText } from '../../../text/text.tsx';
import { differencesOf } from './differences.ts';

/** The differences of an object before and after a change. */
export function AuditDiff({ entry }: { readonly entry: AuditEntry }) {
  const text = useText(auditText);
  const changes = differencesOf(entry.before, entry.after);
  // A created object has no previous values.
  const hadBefore = entry.before !== null;
  if (changes.length === 0) return <p className="text-soft text-sm">{text.noFields}</p>;
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead className="text-soft">
          <tr className="border-line border-b text-left">
            <th className="py-1 pr-4 font-medium">{text.field}</th>
            {hadBefore && <th className="py-1 pr-4 font-medium">{text.before}</th>}
            <th className="py-1 font-medium">{hadBefore ? text.after : text.value}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, before, after }) => (
            <tr key={path} className="border-line border-b align-top last:border-b-0">
              <th scope="row" className="py-1.5 pr-4 text-left font-medium font-mono text-xs">
                {path}
              </th>
              {hadBefore && (
                <td className="py-1.5 pr-4 break-words">
                  <Value value={before} className="text-soft line-through" />
                </td>
              )}
              <td className="py-1.5 break-words">
                <Value value={after} className="" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ value, className }: { readonly value: string | undefined; readonly className: string }) {
  const text = useText(auditText);
  if (value === undefined) return <span className="text-soft italic">{text.notSet}</span>;
  return <span className={`${className} whitespace-pre-wrap [overflow-wrap:anywhere]`}>{value}</span>;
}
