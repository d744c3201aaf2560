import type { AlertRule } from '../../api/schema.ts';
import type { Formats } from '../../kit/format.tsx';
import type { alertsText } from '../../text/alerts.ts';

type Words = (typeof alertsText)['en'];

/** Returns a sentence about when a rule raises an alert. */
export function conditionSentence(rule: AlertRule, text: Words, format: Formats): string {
  const { says } = text;
  const share = (percent: number) => format.percent(percent / 100);
  // A model is known by its id.
  const name = rule.subject_name;
  const ofKey = (said: string, key: string | null) => (key === null ? said : says.ofKey(said, name ?? key));
  if (rule.balance_below) return says.balance(format.money(rule.balance_below.usd));
  if (rule.budget_spent) {
    const { percent, of, key } = rule.budget_spent;
    return ofKey(of === 'key' ? says.keyBudget(share(percent)) : says.accountBudget(share(percent)), key);
  }
  if (rule.key_limit_spent) return ofKey(says.keyLimit(share(rule.key_limit_spent.percent)), rule.key_limit_spent.key);
  if (rule.error_rate) {
    const { percent, window_minutes: minutes, of, id } = rule.error_rate;
    if (of === 'account') return says.errors(share(percent), minutes);
    return says.errorsOf(
      share(percent),
      minutes,
      (of === 'channel' && name) || id || (of === 'model' ? text.anyModel : text.anyChannel),
    );
  }
  if (rule.channel_state) {
    const states = rule.channel_state.states.map((state) => text.channelStates[state]).join(text.or);
    return says.channel(states, name ?? rule.channel_state.channel ?? text.anyChannel);
  }
  return text.types[rule.type];
}
