/** The media type `application/vnd.<vendor>.v1+json` of a service without a vendor; clients accept it by default. */
export const DEFAULT_MEDIA_TYPE = "application/vnd.service.v1+json";

/** Media type of request bodies. */
export const JSON_MEDIA_TYPE = "application/json";

/** Media type of forms, which the token endpoint takes as well. @see RFC 6749 §4.1.3 */
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded";

/** Media type of error bodies. @see RFC 9457 §3 */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
