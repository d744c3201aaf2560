/** Returns commands that upload a file of requests, create a batch of it, and look at it. */
export function batchExample(address: string, model: string): string {
  const line = {
    custom_id: 'first',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'Hello!' }] },
  };
  return `export GATEWAY=${address} KEY=sk-…
echo '${JSON.stringify(line)}' > requests.jsonl
curl $GATEWAY/files -H "Authorization: Bearer $KEY" -F purpose=batch -F file=@requests.jsonl
curl $GATEWAY/batches -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"input_file_id": "file-…", "endpoint": "/v1/chat/completions", "completion_window": "24h"}'
curl $GATEWAY/batches -H "Authorization: Bearer $KEY"`;
}
