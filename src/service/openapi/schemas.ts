import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { activityBodySchema, eventBodySchema } from "../../contract/bodies.js";
import { oauthErrorSchema, tokenAnswerSchema, tokenRequestSchema } from "../../contract/oauth.js";
import { problemSchema } from "../../contract/problem.js";
import {
  activitySchema,
  calendarSchema,
  eventSchema,
  labelSchema,
  userSchema,
} from "../../contract/resources.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The contract's schemas that are named in the document. */
const NAMED_SCHEMAS = {
  User: userSchema,
  Label: labelSchema,
  Calendar: calendarSchema,
  Event: eventSchema,
  Activity: activitySchema,
  EventBody: eventBodySchema,
  ActivityBody: activityBodySchema,
  Problem: problemSchema,
  TokenRequest: tokenRequestSchema,
  TokenAnswer: tokenAnswerSchema,
  OAuthError: oauthErrorSchema,
};

const CONVERSION = {
  target: "draft-2020-12",
  typeMode: "input",
  // Checks by function have no JSON Schema; their limits come from the metadata beside them.
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => schemaRef(referenceId),
} as const satisfies ConversionConfig;

/** `components.schemas` of the document. */
export function namedSchemas(): JsonObject {
  return toJsonSchemaDefs(NAMED_SCHEMAS, CONVERSION);
}

/** A schema as JSON Schema, with references where it holds named ones. */
export function inlineSchema(schema: GenericSchema): JsonObject {
  const {
    $schema: _dialect,
    $defs: _named,
    ...inline
  } = toJsonSchema(schema, {
    ...CONVERSION,
    definitions: NAMED_SCHEMAS,
  });
  return inline;
}

function schemaRef(name: string): string {
  return `#/components/schemas/${name}`;
}
