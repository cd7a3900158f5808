# frozen_string_literal: true

module Conformance
  # A browser without a screen: one connection, cookies, forms with their token.
  class AppClient
    TOKEN = /name="authenticity_token" value="([^"]+)"/

    # @raise [SystemCallError, IOError] when the server does not answer
    def self.open(port)
      options = {read_timeout: 30, open_timeout: 10, max_retries: 0}
      Net::HTTP.start("127.0.0.1", port, options) { |http| yield new(http) }
    end

    def initialize(http)
      @http = http
      @cookies = {}
    end

    # @param headers [Hash{String => String}]
    # @return [Net::HTTPResponse]
    def get(path, headers = {}) = send_request(Net::HTTP::Get.new(path, headers))

    # @param fields [Hash, String] a form, or a body with its type in headers
    def post(path, fields, headers = {})
      request = Net::HTTP::Post.new(path, headers)
      fields.is_a?(String) ? request.body = fields : request.set_form_data(fields)
      send_request(request)
    end

    # @return [String] the token that the form on this page is sent with
    def token(path)
      response = get(path)
      response.body[TOKEN,
        1] or raise Error, "no form with a token on #{path}, but #{response.code}"
    end

    private

    def send_request(request)
      request["cookie"] = @cookies.map { |pair| pair.join("=") }.join("; ") unless @cookies.empty?
      @http.request(request).tap { |response| keep(response) }
    end

    def keep(response)
      Array(response.get_fields("set-cookie")).each do |cookie|
        name, value = cookie.split(";").first.split("=", 2)
        @cookies[name] = value
      end
    end
  end
end
