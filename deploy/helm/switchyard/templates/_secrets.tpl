{{/*
Secrets reach the gateway as files of one volume, each named by a variable NAME_FILE. A secret is an existing one, or a key of the chart's own
Secret.
*/}}

{{/*
A random text for a key of the chart's own Secret: the cluster's present value if there is one. It is the same in all templates of a rendering.
Takes (dict "root" $ "key" "SWITCHYARD_SECRET").
*/}}
{{- define "switchyard.generated" -}}
{{- $root := .root -}}
{{- if not (hasKey $root.Values "generatedSecrets") -}}
{{- $_ := set $root.Values "generatedSecrets" dict -}}
{{- end -}}
{{- if not (hasKey $root.Values.generatedSecrets .key) -}}
{{- $present := lookup "v1" "Secret" $root.Release.Namespace (include "switchyard.fullname" $root) | default dict -}}
{{- $data := $present.data | default dict -}}
{{- $value := ternary (get $data .key | b64dec) (randAlphaNum 43) (hasKey $data .key) -}}
{{- $_ := set $root.Values.generatedSecrets .key $value -}}
{{- end -}}
{{- get $root.Values.generatedSecrets .key -}}
{{- end -}}

{{- define "switchyard.generatesMasterSecret" -}}
{{- $given := or .Values.masterSecret.existingSecret.name .Values.masterSecret.value -}}
{{- if and (not $given) (or .Values.masterSecret.generate (eq .Values.database.type "bundled")) -}}true{{- end -}}
{{- end -}}

{{- define "switchyard.generatesAnything" -}}
{{- $database := and (eq .Values.database.type "bundled") (not .Values.database.bundled.password) -}}
{{- $redis := and (eq .Values.redis.type "bundled") (not .Values.redis.bundled.password) -}}
{{- if or (include "switchyard.generatesMasterSecret" .) $database $redis -}}true{{- end -}}
{{- end -}}

{{- define "switchyard.databasePassword" -}}
{{- .Values.database.bundled.password | default (include "switchyard.generated" (dict "root" . "key" "POSTGRES_PASSWORD")) -}}
{{- end -}}

{{- define "switchyard.redisPassword" -}}
{{- .Values.redis.bundled.password | default (include "switchyard.generated" (dict "root" . "key" "REDIS_PASSWORD")) -}}
{{- end -}}

{{/* The chart's own secrets of the gateway, as YAML of texts. */}}
{{- define "switchyard.ownSecrets" -}}
{{- $own := dict -}}
{{- if not .Values.masterSecret.existingSecret.name -}}
{{- if .Values.masterSecret.value -}}
{{- $_ := set $own "SWITCHYARD_SECRET" .Values.masterSecret.value -}}
{{- else if include "switchyard.generatesMasterSecret" . -}}
{{- $_ := set $own "SWITCHYARD_SECRET" (include "switchyard.generated" (dict "root" . "key" "SWITCHYARD_SECRET")) -}}
{{- end -}}
{{- end -}}
{{- $name := include "switchyard.fullname" . -}}
{{- if eq .Values.database.type "bundled" -}}
{{- $_ := set $own "DATABASE_URL" (printf "postgres://switchyard:%s@%s-postgresql:5432/switchyard" (include "switchyard.databasePassword" .) $name) -}}
{{- else if and (eq .Values.database.type "external") .Values.database.url (not .Values.database.existingSecret.name) -}}
{{- $_ := set $own "DATABASE_URL" .Values.database.url -}}
{{- end -}}
{{- if eq .Values.redis.type "bundled" -}}
{{- $_ := set $own "REDIS_URL" (printf "redis://:%s@%s-redis:6379/0" (include "switchyard.redisPassword" .) $name) -}}
{{- else if and (eq .Values.redis.type "external") .Values.redis.url (not .Values.redis.existingSecret.name) -}}
{{- $_ := set $own "REDIS_URL" .Values.redis.url -}}
{{- end -}}
{{- if and .Values.metrics.enabled .Values.metrics.token.value (not .Values.metrics.token.existingSecret.name) -}}
{{- $_ := set $own "METRICS_TOKEN" .Values.metrics.token.value -}}
{{- end -}}
{{- range $variable, $source := .Values.secrets -}}
{{- if not $source.existingSecret -}}
{{- $_ := set $own $variable $source.value -}}
{{- end -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{/* The same, encoded for a Secret; empty without any. */}}
{{- define "switchyard.ownSecretData" -}}
{{- range $variable, $value := include "switchyard.ownSecrets" . | fromYaml }}
{{ $variable }}: {{ $value | b64enc | quote }}
{{- end }}
{{- end -}}

{{/* Every secret of the gateway with its place, as YAML: {items: [{variable, secret, key}]}. Takes (dict "root" $ "ownSecret" name). */}}
{{- define "switchyard.secretItems" -}}
{{- $root := .root -}}
{{- $items := list -}}
{{- range $variable, $_ := include "switchyard.ownSecrets" $root | fromYaml -}}
{{- $items = append $items (dict "variable" $variable "secret" $.ownSecret "key" $variable) -}}
{{- end -}}
{{- $existing := dict "SWITCHYARD_SECRET" $root.Values.masterSecret.existingSecret -}}
{{- if eq $root.Values.database.type "external" -}}
{{- $_ := set $existing "DATABASE_URL" $root.Values.database.existingSecret -}}
{{- end -}}
{{- if eq $root.Values.redis.type "external" -}}
{{- $_ := set $existing "REDIS_URL" $root.Values.redis.existingSecret -}}
{{- end -}}
{{- if $root.Values.metrics.enabled -}}
{{- $_ := set $existing "METRICS_TOKEN" $root.Values.metrics.token.existingSecret -}}
{{- end -}}
{{- range $variable, $source := $root.Values.secrets -}}
{{- with $source.existingSecret -}}
{{- $_ := set $existing $variable . -}}
{{- end -}}
{{- end -}}
{{- range $variable, $place := $existing -}}
{{- if $place.name -}}
{{- $items = append $items (dict "variable" $variable "secret" $place.name "key" $place.key) -}}
{{- end -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* The volume with the files. Takes (dict "items" list). */}}
{{- define "switchyard.secretVolume" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range .items }}
      - secret:
          name: {{ .secret }}
          items:
            - key: {{ .key }}
              path: {{ .variable }}
      {{- end }}
{{- end -}}

{{- define "switchyard.secretVariables" -}}
{{- range .items }}
- name: {{ .variable }}_FILE
  value: /run/secrets/switchyard/{{ .variable }}
{{- end }}
{{- end -}}
