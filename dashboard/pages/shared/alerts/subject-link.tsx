import { TextLink } from '../../../kit/button.tsx';
import { scopeOf, useScope } from '../../../shell/scope.tsx';
import { alertSentences } from '../../../text/alert-sentences.ts';
import { useText } from '../../../text/text.tsx';
import { type Concerned, subjectPlace } from './subject-place.ts';

/** A link to the object that an alert is about. */
export function SubjectLink({ alert }: { readonly alert: Concerned }) {
  const text = useText(alertSentences);
  const place = subjectPlace(alert, useScope(), (account) => scopeOf(account).base);
  if (place === null) return null;
  return (
    <TextLink to={place.to} search={place.search as never} className="text-sm">
      {text.open[place.kind]}
    </TextLink>
  );
}
