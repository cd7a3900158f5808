class ArticlesController < ApplicationController
  skip_forgery_protection only: :create

  def index
    @articles = Article.order(:id).limit(20)
  end

  def create
    Article.create!(params.expect(article: [:title, :body]))
    redirect_to articles_path
  end
end
